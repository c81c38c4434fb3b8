"""The service: contexts, corpora and the four systems over HTTP, for programs in any language."""

from biblicus_context.base.exports import exports
from biblicus_context.errors import MissingExtraError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.service.application import Service as Service, app as app
    from biblicus_context.service.callers import Caller as Caller
    from biblicus_context.service.keys import ApiKey as ApiKey, KeyFile as KeyFile
    from biblicus_context.service.operations import (
        Operation as Operation,
        OperationCall as OperationCall,
    )
    from biblicus_context.service.problems import (
        Problem as Problem,
        ProblemError as ProblemError,
        refusal as refusal,
    )
    from biblicus_context.service.scopes import KeyScope as KeyScope
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
            "application": "Service app",
            "callers": "Caller",
            "keys": "ApiKey KeyFile",
            "operations": "OperationCall Operation",
            "problems": "Problem ProblemError refusal",
            "scopes": "KeyScope",
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
