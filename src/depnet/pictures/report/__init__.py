"""Reports as HTML files that open offline and run nothing: of a fitted network, `page`; of drawn rows, `quality`."""
