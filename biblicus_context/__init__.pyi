from biblicus_context.assembly.arguments import AssembleOptions as AssembleOptions
from biblicus_context.assembly.assembler import ContextAssembler as ContextAssembler
from biblicus_context.assembly.call import Message as Message
from biblicus_context.assembly.call import Retriever as Retriever
from biblicus_context.assembly.queries.recent import RecentMessage as RecentMessage
from biblicus_context.assembly.queries.rewriting import QueryRewriter as QueryRewriter
from biblicus_context.assembly.queries.rewriting import RewriteRequest as RewriteRequest
from biblicus_context.assembly.registries import IndexWhen as IndexWhen
from biblicus_context.assembly.reporting import Observer as Observer
from biblicus_context.assembly.result.attribution import Attribution as Attribution
from biblicus_context.assembly.result.attribution import CitedAnswer as CitedAnswer
from biblicus_context.assembly.result.attribution import attribute as attribute
from biblicus_context.assembly.result.attribution import cite as cite
from biblicus_context.assembly.result.cache_marks import CacheMark as CacheMark
from biblicus_context.assembly.result.citations import Citation as Citation
from biblicus_context.assembly.result.receipt import Receipt as Receipt
from biblicus_context.assembly.result.receipt import ReceiptBlock as ReceiptBlock
from biblicus_context.assembly.result.receipt import ReceiptPart as ReceiptPart
from biblicus_context.assembly.result.receipt import ReceiptTurns as ReceiptTurns
from biblicus_context.assembly.result.result import ContextAssemblyResult as ContextAssemblyResult
from biblicus_context.assembly.result.spans import PartSpan as PartSpan
from biblicus_context.assembly.result.spans import PieceSpan as PieceSpan
from biblicus_context.base.best_effort import BestEffort as BestEffort
from biblicus_context.base.doors import door as door
from biblicus_context.base.version import __version__ as __version__
from biblicus_context.corpora import Corpus as Corpus
from biblicus_context.corpora import CorpusRetriever as CorpusRetriever
from biblicus_context.corpora import Evidence as Evidence
from biblicus_context.corpora.answer_cache import AnswerCache as AnswerCache
from biblicus_context.corpora.answer_cache import MemoryAnswerCache as MemoryAnswerCache
from biblicus_context.corpora.clusters import Cluster as Cluster
from biblicus_context.corpora.context_pack import retrieve_context_pack as retrieve_context_pack
from biblicus_context.corpora.corpus_records import Removed as Removed
from biblicus_context.corpora.model_store import FoundModel as FoundModel
from biblicus_context.corpora.model_store import ModelStore as ModelStore
from biblicus_context.corpora.record_model import RecordModel as RecordModel
from biblicus_context.corpora.relevant_items import RelevantItem as RelevantItem
from biblicus_context.corpora.stored_answers import StoredAnswerCache as StoredAnswerCache
from biblicus_context.embedders import AllowedKeys as AllowedKeys
from biblicus_context.embedders import CachedEmbedder as CachedEmbedder
from biblicus_context.embedders import Embedder as Embedder
from biblicus_context.embedders import KeyHosts as KeyHosts
from biblicus_context.errors import BudgetError as BudgetError
from biblicus_context.errors import CompactorError as CompactorError
from biblicus_context.errors import ContextError as ContextError
from biblicus_context.errors import CycleError as CycleError
from biblicus_context.errors import EmbedderError as EmbedderError
from biblicus_context.errors import FormatError as FormatError
from biblicus_context.errors import InputError as InputError
from biblicus_context.errors import LoadError as LoadError
from biblicus_context.errors import MissingExtraError as MissingExtraError
from biblicus_context.errors import PlanError as PlanError
from biblicus_context.errors import ProjectError as ProjectError
from biblicus_context.errors import RetrieverError as RetrieverError
from biblicus_context.errors import TemplateError as TemplateError
from biblicus_context.errors import UnknownNameError as UnknownNameError
from biblicus_context.errors import UnknownPackError as UnknownPackError
from biblicus_context.formats import After as After
from biblicus_context.formats import AnthropicArguments as AnthropicArguments
from biblicus_context.formats import Cache as Cache
from biblicus_context.formats import Foreign as Foreign
from biblicus_context.formats import GeminiArguments as GeminiArguments
from biblicus_context.formats import LateSystem as LateSystem
from biblicus_context.formats import Lifetime as Lifetime
from biblicus_context.formats import OpenAIMessages as OpenAIMessages
from biblicus_context.formats import OpenAIResponseItems as OpenAIResponseItems
from biblicus_context.formats import Signatures as Signatures
from biblicus_context.ingest.files.walking import Skipped as Skipped
from biblicus_context.ingest.files.walking import WalkSettings as WalkSettings
from biblicus_context.ingest.imports import markdown_records as markdown_records
from biblicus_context.ingest.imports import notion_records as notion_records
from biblicus_context.ingest.readers import Reader as Reader
from biblicus_context.ingest.readers import ReaderRegistry as ReaderRegistry
from biblicus_context.ingest.records import Record as Record
from biblicus_context.ingest.records import RecordPart as RecordPart
from biblicus_context.ingest.records import RelationTo as RelationTo
from biblicus_context.ingest.records import Written as Written
from biblicus_context.ingest.summary import Progress as Progress
from biblicus_context.ingest.summary import Summary as Summary
from biblicus_context.reading import Project as Project
from biblicus_context.reading import SourceLocation as SourceLocation
from biblicus_context.reading import load_project as load_project
from biblicus_context.reading.kinds import Kind as Kind
from biblicus_context.reading.shipped import shipped_plan as shipped_plan
from biblicus_context.retrieval.analysis.query_analysis import QueryAnalysis as QueryAnalysis
from biblicus_context.retrieval.analysis.query_analysis import analyze_query as analyze_query
from biblicus_context.retrieval.biblicus_corpus import BiblicusCorpus as BiblicusCorpus
from biblicus_context.retrieval.candidate import Candidate as Candidate
from biblicus_context.retrieval.choosing.given import rerank as rerank
from biblicus_context.retrieval.origin import Origin as Origin
from biblicus_context.retrieval.packs.block_builder import ContextBlock as ContextBlock
from biblicus_context.retrieval.packs.block_builder import (
    ContextBlockBuildRequest as ContextBlockBuildRequest,
)
from biblicus_context.retrieval.packs.block_builder import (
    ContextBlockBuildResult as ContextBlockBuildResult,
)
from biblicus_context.retrieval.packs.block_builder import (
    ContextSectionBudget as ContextSectionBudget,
)
from biblicus_context.retrieval.packs.block_builder import (
    build_context_pack_from_blocks as build_context_pack_from_blocks,
)
from biblicus_context.retrieval.packs.block_format import citation_id as citation_id
from biblicus_context.retrieval.packs.builders import ContextPackPolicy as ContextPackPolicy
from biblicus_context.retrieval.packs.builders import build_context_pack as build_context_pack
from biblicus_context.retrieval.packs.fitters import CharacterBudget as CharacterBudget
from biblicus_context.retrieval.packs.fitters import TokenBudget as TokenBudget
from biblicus_context.retrieval.packs.fitters import TokenCounter as TokenCounter
from biblicus_context.retrieval.packs.fitters import count_tokens as count_tokens
from biblicus_context.retrieval.packs.fitters import (
    fit_context_pack_to_character_budget as fit_context_pack_to_character_budget,
)
from biblicus_context.retrieval.packs.fitters import (
    fit_context_pack_to_token_budget as fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.packs.pack import ContextPack as ContextPack
from biblicus_context.retrieval.packs.pack import ContextPackBlock as ContextPackBlock
from biblicus_context.retrieval.rank.ordering import ordered_by as ordered_by
from biblicus_context.retrieval.requests.request import (
    ContextRetrieverRequest as ContextRetrieverRequest,
)
from biblicus_context.spec.budget import ContextBudgetSpec as ContextBudgetSpec
from biblicus_context.spec.budget import ContextPackBudgetSpec as ContextPackBudgetSpec
from biblicus_context.spec.budget import PackShareSpec as PackShareSpec
from biblicus_context.spec.budget import ReserveSpec as ReserveSpec
from biblicus_context.spec.compactor import CompactorDeclaration as CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration as ContextDeclaration
from biblicus_context.spec.context import InputSpec as InputSpec
from biblicus_context.spec.corpus import CorpusDeclaration as CorpusDeclaration
from biblicus_context.spec.directive import AssistantMessageSpec as AssistantMessageSpec
from biblicus_context.spec.directive import ContextInsertSpec as ContextInsertSpec
from biblicus_context.spec.directive import ContextMessageSpec as ContextMessageSpec
from biblicus_context.spec.directive import ContextTemplateSpec as ContextTemplateSpec
from biblicus_context.spec.directive import Directive as Directive
from biblicus_context.spec.directive import FirstSpec as FirstSpec
from biblicus_context.spec.directive import HistoryInsertSpec as HistoryInsertSpec
from biblicus_context.spec.directive import SystemMessageSpec as SystemMessageSpec
from biblicus_context.spec.directive import UserMessageSpec as UserMessageSpec
from biblicus_context.spec.format import BlockFormatSpec as BlockFormatSpec
from biblicus_context.spec.format import FormatDeclaration as FormatDeclaration
from biblicus_context.spec.format import FormatSpec as FormatSpec
from biblicus_context.spec.pack import ContextPackSpec as ContextPackSpec
from biblicus_context.spec.pack import PackOptions as PackOptions
from biblicus_context.spec.policy import ContextExpansionSpec as ContextExpansionSpec
from biblicus_context.spec.policy import ContextPolicySpec as ContextPolicySpec
from biblicus_context.spec.policy import FramingSpec as FramingSpec
from biblicus_context.spec.policy import PolicyDeclaration as PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration as RetrieverDeclaration
from biblicus_context.spec.retriever_settings import Names as Names
from biblicus_context.stores import Document as Document
from biblicus_context.stores import Metadata as Metadata
from biblicus_context.stores import Principal as Principal
from biblicus_context.stores import Readers as Readers
from biblicus_context.stores import Relation as Relation
from biblicus_context.stores import Store as Store
from biblicus_context.stores import StoreError as StoreError
from biblicus_context.text.compactors import BaseCompactor as BaseCompactor
from biblicus_context.text.compactors import CompactionRequest as CompactionRequest
from biblicus_context.text.compactors import Shortened as Shortened
from biblicus_context.text.compactors import SummaryCompactor as SummaryCompactor
from biblicus_context.text.compactors import TruncateCompactor as TruncateCompactor
from biblicus_context.text.compactors import build_compactor as build_compactor
from biblicus_context.text.counters import Counter as Counter
from biblicus_context.text.counters import CounterLike as CounterLike
from biblicus_context.text.counters import Counters as Counters
from biblicus_context.text.headings import escaped_headings as escaped_headings
from biblicus_context.text.messages.framing import Framing as Framing
from biblicus_context.text.messages.images import ImageRule as ImageRule
from biblicus_context.text.models.model import Model as Model
from biblicus_context.text.models.model import TableContents as TableContents
from biblicus_context.text.models.table import ModelTable as ModelTable

__all__: list[str]
