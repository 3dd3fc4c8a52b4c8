-- The catalogs' own contents, as far as zproxy has the same.
\set QUIET on
\pset format unaligned
\pset footer off
\dT pg_catalog.int4
\dT+ pg_catalog.text
\dTS bool
\dT _int4
\df pg_catalog.abs
\df pg_catalog.lower
\df+ pg_catalog.upper
\dfa pg_catalog.count
\da pg_catalog.bool_and
\da pg_catalog.string_agg
\do pg_catalog.~~
\do pg_catalog.= integer
\dC time
\dOS "C"
\dOS "default"
\dnS
\dtS pg_class
\dS pg_namespace
\dt information_schema.tables
\dv information_schema.tables
\d pg_index
\d+ pg_am
\d information_schema.schemata
\dtS pg_*
\dvS pg_*
\diS pg_class*
\dy
\dcS *utf8_to_latin1
\dT+ nothing
