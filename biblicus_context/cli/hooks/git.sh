#!/bin/sh
# bctx: code and commits of this repository, for the next recall
bctx index-code .{place} >/dev/null 2>&1 &
