// Module sources.
