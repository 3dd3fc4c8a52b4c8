#!/bin/sh
# Fills the last column of the tables in this folder, and of two of expr, with what PostgreSQL 15 answers:
#   PGHOST=... PGPORT=... PGUSER=... sh types/testdata/record.sh
# A table is tab-separated, in COPY's text format; lines of one column are comments.
# The SQL below says which expression each table stands for.
set -e
cd "$(dirname "$0")"

record() { # table, number of input columns, SQL expression that makes the query text
	columns=$(seq -s, -f 'c%g text' "$2")
	inputs=$(seq -s, -f 'c%g' "$2")
	grep '	' "$1" | cut -f "1-$2" >/tmp/record.$$.in
	psql -qXAt -v ON_ERROR_STOP=1 <<SQL
set timezone = 'America/New_York';
create function pg_temp.try(query text) returns text language plpgsql as \$\$
declare result text; message text; detail text; hint text; context text;
begin
	execute query into result;
	return case when length(result) > 300 then 'md5 ' || md5(result) else result end;
exception when others then
	get stacked diagnostics message = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
		context = pg_exception_context;
	return 'ERROR ' || sqlstate || ': ' || message ||
		case when detail <> '' then ' DETAIL ' || detail else '' end ||
		case when hint <> '' then ' HINT ' || hint else '' end ||
		case when context ~ '^JSON data' then ' CONTEXT ' || split_part(context, E'\\n', 1) else '' end;
end \$\$;
create temp table cases (n serial, $columns);
\\copy cases ($inputs) from '/tmp/record.$$.in'
\\copy (select $inputs, pg_temp.try($3) from cases order by n) to '/tmp/record.$$.out'
SQL
	{ grep -v '	' "$1" || true; cat "/tmp/record.$$.out"; } >"/tmp/record.$$.new"
	cat "/tmp/record.$$.new" >"$1"
	rm -f /tmp/record.$$.*
}

# The text format in, and out again. :: is what a literal does.
record input.tsv 2 "format('select format(''%%s'', %L::%s)', c2, c1)"

# The binary format, in hex.
record binary.tsv 2 "format('select encode(%s(%L::%s), ''hex'')', (select typsend::regproc from pg_type where oid = c1::regtype), c2, c1)"

# JSON text in and out, with where an error is.
record json.tsv 2 "format('select format(''%%s'', %L::%s)', c2, c1)"

# A jsonpath in and out.
record jsonpath.tsv 1 "format('select format(''%%s'', %L::jsonpath)', c1)"

# How two jsonb compare.
record json_order.tsv 2 "format('select sign(jsonb_cmp(%L, %L))', c1, c2)"

# A value of the first type as the third one.
record cast.tsv 3 "format('select format(''%%s'', (%L::%s)::%s)', c2, c1, c3)"

# A type as format_type spells it.
record name.tsv 2 "format('select format_type(%L::regtype, %s)', c1, c2)"

# An operator between two values.
record ../../expr/testdata/operator.tsv 5 "format('select format(''%%s'', %L::%s %s %L::%s)', c2, c1, c3, c5, c4)"

# A function of one value.
record ../../expr/testdata/function.tsv 3 "format('select format(''%%s'', %s(%L::%s))', c1, c3, c2)"

# The casts with a row in pg_cast, with the types that zproxy has.
types="'bool','bytea','int8','int2','int4','text','point','float4','float8','varchar',
	'date','timestamp','timestamptz','time','timetz','interval','numeric','uuid',
	'bpchar','name','char','oid','xid','regproc','regprocedure','regoper','regoperator','regclass','regtype',
	'regnamespace','regrole',
	'json','jsonb','inet','cidr','macaddr','macaddr8','bit','varbit','lseg','path','box','polygon','line','circle','tid','xid8','pg_lsn','money',
	'tsvector','tsquery','regconfig','regdictionary'"
{
	echo '# pg_cast: from, to, context'
	psql -qXAtF '	' -c "select f.typname, t.typname, castcontext from pg_cast
		join pg_type f on f.oid = castsource join pg_type t on t.oid = casttarget
		where f.typname in ($types) and t.typname in ($types) and f.oid <> t.oid order by 1, 2"
} >pg_cast.tsv
