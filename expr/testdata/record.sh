#!/bin/sh
# Records what PostgreSQL 15 answers, over the old answers:
#   PGHOST=... PGUSER=... ./record.sh functions && ./record.sh aggregates
# A line of functions is an expression of typed literals, a tab and its value; a line of
# aggregates is a name, a type and the rows, separated by spaces, a tab and the result.
# json, jsonpath, json_rows and json_aggregates are expressions, too.
set -e
cut -f1 "$1" >"$1.asked"
case $1 in
functions | to_char | to_timestamp | json | jsonpath) # a quoted name is a call and never special syntax
	sed -E 's/^([a-z_0-9]+)\(/"\1"(/; s/.*/SELECT & AS x/' "$1.asked" ;;
json_rows) # the rows of a set
	sed -E 's/.*/SELECT string_agg(coalesce(r::text, '"'NULL'"'), '"' '"') AS x FROM & r/' "$1.asked" ;;
json_aggregates)
	sed -E 's/^(json\w*object_agg)\((.*)\)$/SELECT \1(x, y) AS x FROM (\2) v(x, y)/; s/^(json\w*)\((.*)\)$/SELECT \1(x) AS x FROM (\2) v(x)/' "$1.asked" ;;
aggregates)
	awk '{ rows = ""; for (i = 3; i <= NF; i++) rows = rows (i > 3 ? "," : "") ($i == "NULL" ? "(NULL)" : "('\''" $i "'\'')");
		more = ($1 == "string_agg") ? ", '\''/'\''" : "";
		printf "SELECT %s(x::%s%s) AS x FROM (VALUES %s) v(x)%s\n", $1, $2, more, (rows == "") ? "(NULL)" : rows, (rows == "") ? " WHERE false" : "" }' "$1.asked" ;;
esac | sed -E "s/.*/SELECT CASE WHEN x IS NULL THEN 'NULL' ELSE replace(format('%s', x), E'\\\\n', '\\\\n') END FROM (&) s;/" |
	PGTZ=America/New_York psql -XAtq -d postgres -v VERBOSITY=verbose -f - 2>&1 |
	grep -vE '^(LOCATION|HINT|DETAIL|LINE|CONTEXT)|^ *\^$' |
	sed -E 's/^psql:<stdin>:[0-9]+: ERROR: +/ERROR /' | paste "$1.asked" - >"$1.new"
mv "$1.new" "$1"
rm "$1.asked"
