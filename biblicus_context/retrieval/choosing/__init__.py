"""Which of the blocks that were found go into a pack: one pipeline for one source and for several."""
