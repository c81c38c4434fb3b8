"""What processes and machines share besides a store: caches, claims of requests, and rates, in Redis."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.shared_state.claims import (
        Claims as Claims,
        MemoryClaims as MemoryClaims,
        RequestClaim as RequestClaim,
    )
    from biblicus_context.shared_state.rates import (
        MemoryRates as MemoryRates,
        Rates as Rates,
        Taken as Taken,
    )
    from biblicus_context.shared_state.redis_limits import (
        RedisClaims as RedisClaims,
        RedisRates as RedisRates,
    )
    from biblicus_context.shared_state.redis_server import (
        NotSharedError as NotSharedError,
        RedisServer as RedisServer,
    )
    from biblicus_context.shared_state.redis_values import (
        LOOKUPS as LOOKUPS,
        RedisAnswerCache as RedisAnswerCache,
        RedisVectors as RedisVectors,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "claims": "Claims MemoryClaims RequestClaim",
            "rates": "MemoryRates Rates Taken",
            "redis_limits": "RedisClaims RedisRates",
            "redis_server": "NotSharedError RedisServer",
            "redis_values": "LOOKUPS RedisAnswerCache RedisVectors",
        },
    )
