#!/bin/sh
# Records what PostgreSQL 15 says of its functions and operators in pg_proc and pg_operator:
#   PGHOST=... PGUSER=... ./record_proc.sh
# A line is kind (f, a, w or o), name, argument types, result, volatility, strict, set,
# separated by tabs. Functions of types that zproxy does not have are left out.
set -e
cd "$(dirname "$0")"
psql -qXAtF '	' >pg_proc.tsv <<'SQL'
with known as (select oid, typname from pg_type where typname in ('any','anyelement','anyarray','anynonarray',
	'anycompatible','anycompatiblearray','anyenum','bool','bytea','char','name','int8','int2','int4','regproc','regprocedure',
	'regoper','regoperator','regclass','regtype','regnamespace','regrole','text','oid','xid','json','jsonb','point','bit','varbit',
	'float4','float8','bpchar','varchar','date','time','timestamp','timestamptz','interval','timetz','numeric','uuid',
	'void','record','jsonpath','money','inet','cidr','macaddr','macaddr8','tsvector','tsquery','regconfig','regdictionary','xid8','oidvector','int2vector','box','circle','anyrange','anymultirange','int4range','int8range','numrange','daterange','tsrange','tstzrange','int4multirange','int8multirange','nummultirange','datemultirange','tsmultirange','tstzmultirange',
	'_int4range','_int8range','_numrange','_daterange','_tsrange','_tstzrange','pg_node_tree','pg_mcv_list','aclitem','_aclitem')
	or typname in ('_text','_int2','_int4','_int8','_name','_float8','_interval','_oid','_json','_jsonb','_regclass','_float4','_char')
	or oid in ('pg_attribute'::regtype, 'pg_type'::regtype)),
rows as (select prokind kind, case pronamespace when 'pg_catalog'::regnamespace then '' else pronamespace::regnamespace || '.' end || proname as proname, proargtypes::oid[] args, prorettype, provolatile, proisstrict, proretset
	from pg_proc where pronamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and prokind <> 'p'
	union all select 'o', oprname, array_remove(array[oprleft, oprright], 0::oid), oprresult, provolatile, proisstrict, proretset
	from pg_operator o join pg_proc p on p.oid = oprcode where oprnamespace = 'pg_catalog'::regnamespace)
select kind, proname, coalesce((select string_agg(k.typname, ' ' order by n) from unnest(args) with ordinality a(o, n) join known k on k.oid = o), ''),
	r.typname, provolatile, proisstrict, proretset
from rows join known r on r.oid = prorettype
where not exists (select from unnest(args) a(o) where o not in (select oid from known))
	and (not (prorettype || args) && '{box,circle}'::regtype[]::oid[] or proname in ('<@', '@>', 'on_pb', 'box_contain_pt', 'pt_contained_circle', 'circle_contain_pt')
		and 'point'::regtype = any (args)) -- of boxes and circles only whether points are in them
order by kind, proname collate "C", 3, 4
SQL
