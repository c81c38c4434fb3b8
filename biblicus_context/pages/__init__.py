"""An assembly as something to look at: its stream by source, its bars, and a page of HTML."""
