"""The service: contexts, corpora and the four systems over HTTP, for programs in any language."""

from biblicus_context.base.exports import exports
from biblicus_context.errors import MissingExtraError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.service.app import Service as Service, app as app
    from biblicus_context.service.callers import Caller as Caller, Scope as Scope
    from biblicus_context.service.keys import ApiKey as ApiKey, KeyFile as KeyFile
    from biblicus_context.service.operations import Call as Call, Operation as Operation
    from biblicus_context.service.problems import (
        Problem as Problem,
        ProblemError as ProblemError,
        refusal as refusal,
    )
    from biblicus_context.service.serving import ServeSettings as ServeSettings, serve as serve
    from biblicus_context.service.settings import (
        LimitSettings as LimitSettings,
        ServiceSettings as ServiceSettings,
    )
else:
    # Starlette is loaded by who serves, not by the command that makes a key.
    _attribute, __dir__, __all__ = exports(
        __name__,
        {
            "app": "Service app",
            "callers": "Caller Scope",
            "keys": "ApiKey KeyFile",
            "operations": "Call Operation",
            "problems": "Problem ProblemError refusal",
            "serving": "ServeSettings serve",
            "settings": "LimitSettings ServiceSettings",
        },
    )

    def __getattr__(name: str) -> object:
        try:
            return _attribute(name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("biblicus_context"):
                raise
            raise MissingExtraError(str(error.name), "service") from None
