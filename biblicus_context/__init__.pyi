from biblicus_context.assembly import (
    Citation as Citation,
    ContextAssembler as ContextAssembler,
    ContextAssemblyResult as ContextAssemblyResult,
    Message as Message,
    Observer as Observer,
    QueryRewriter as QueryRewriter,
    Receipt as Receipt,
    Retriever as Retriever,
    RewriteRequest as RewriteRequest,
    attribute as attribute,
    cite as cite,
)
from biblicus_context.base import __version__ as __version__
from biblicus_context.corpora import (
    Corpus as Corpus,
    retrieve_context_pack as retrieve_context_pack,
)
from biblicus_context.errors import (
    BudgetError as BudgetError,
    CompactorError as CompactorError,
    ContextError as ContextError,
    CycleError as CycleError,
    EmbedderError as EmbedderError,
    FormatError as FormatError,
    InputError as InputError,
    LoadError as LoadError,
    MissingExtraError as MissingExtraError,
    PlanError as PlanError,
    ProjectError as ProjectError,
    RetrieverError as RetrieverError,
    TemplateError as TemplateError,
    UnknownNameError as UnknownNameError,
    UnknownPackError as UnknownPackError,
)
from biblicus_context.ingest import Record as Record
from biblicus_context.reading import Project as Project, load_project as load_project
from biblicus_context.retrieval import (
    CharacterBudget as CharacterBudget,
    ContextBlock as ContextBlock,
    ContextBlockBuildRequest as ContextBlockBuildRequest,
    ContextBlockBuildResult as ContextBlockBuildResult,
    ContextPack as ContextPack,
    ContextPackBlock as ContextPackBlock,
    ContextPackPolicy as ContextPackPolicy,
    ContextRetrieverRequest as ContextRetrieverRequest,
    ContextSectionBudget as ContextSectionBudget,
    TokenBudget as TokenBudget,
    TokenCounter as TokenCounter,
    build_context_pack as build_context_pack,
    build_context_pack_from_blocks as build_context_pack_from_blocks,
    count_tokens as count_tokens,
    fit_context_pack_to_character_budget as fit_context_pack_to_character_budget,
    fit_context_pack_to_token_budget as fit_context_pack_to_token_budget,
)
from biblicus_context.spec import (
    AssistantMessageSpec as AssistantMessageSpec,
    CompactorDeclaration as CompactorDeclaration,
    ContextBudgetSpec as ContextBudgetSpec,
    ContextDeclaration as ContextDeclaration,
    ContextExpansionSpec as ContextExpansionSpec,
    ContextInsertSpec as ContextInsertSpec,
    ContextMessageSpec as ContextMessageSpec,
    ContextPackBudgetSpec as ContextPackBudgetSpec,
    ContextPackSpec as ContextPackSpec,
    ContextPolicySpec as ContextPolicySpec,
    ContextTemplateSpec as ContextTemplateSpec,
    CorpusDeclaration as CorpusDeclaration,
    FormatDeclaration as FormatDeclaration,
    HistoryInsertSpec as HistoryInsertSpec,
    PolicyDeclaration as PolicyDeclaration,
    RetrieverDeclaration as RetrieverDeclaration,
    SystemMessageSpec as SystemMessageSpec,
    UserMessageSpec as UserMessageSpec,
)
from biblicus_context.stores import (
    Principal as Principal,
    Readers as Readers,
    StoreError as StoreError,
)
from biblicus_context.text import (
    BaseCompactor as BaseCompactor,
    CompactionRequest as CompactionRequest,
    Model as Model,
    ModelTable as ModelTable,
    SummaryCompactor as SummaryCompactor,
    TruncateCompactor as TruncateCompactor,
    build_compactor as build_compactor,
)
