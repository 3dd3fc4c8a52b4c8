-- Views of pg_catalog over its tables. Columns that a query does not make are NULL.

CREATE VIEW pg_catalog.pg_roles AS
SELECT a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication,
	a.rolconnlimit, '********' AS rolpassword, a.rolvaliduntil, a.rolbypassrls, s.setconfig AS rolconfig, a.oid
FROM pg_authid a
LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0;

CREATE VIEW pg_catalog.pg_shadow AS
SELECT a.rolname AS usename, a.oid AS usesysid, a.rolcreatedb AS usecreatedb, a.rolsuper AS usesuper,
	a.rolreplication AS userepl, a.rolbypassrls AS usebypassrls, a.rolpassword AS passwd,
	a.rolvaliduntil AS valuntil, s.setconfig AS useconfig
FROM pg_authid a
LEFT JOIN pg_db_role_setting s ON s.setrole = a.oid AND s.setdatabase = 0
WHERE a.rolcanlogin;

CREATE VIEW pg_catalog.pg_user AS
SELECT rolname AS usename, oid AS usesysid, rolcreatedb AS usecreatedb, rolsuper AS usesuper,
	rolreplication AS userepl, rolbypassrls AS usebypassrls, rolpassword AS passwd,
	rolvaliduntil AS valuntil, rolconfig AS useconfig
FROM pg_roles
WHERE rolcanlogin;

CREATE VIEW pg_catalog.pg_group AS
SELECT rolname AS groname, oid AS grosysid, ARRAY(SELECT m.member FROM pg_auth_members m WHERE m.roleid = a.oid) AS grolist
FROM pg_authid a
WHERE NOT rolcanlogin;

CREATE VIEW pg_catalog.pg_tables AS
SELECT n.nspname AS schemaname, c.relname AS tablename, pg_get_userbyid(c.relowner) AS tableowner,
	t.spcname AS tablespace, c.relhasindex AS hasindexes, c.relhasrules AS hasrules,
	c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
FROM pg_class c
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relkind IN ('r', 'p');

CREATE VIEW pg_catalog.pg_views AS
SELECT n.nspname AS schemaname, c.relname AS viewname, pg_get_userbyid(c.relowner) AS viewowner,
	pg_get_viewdef(c.oid) AS definition
FROM pg_class c
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v';

CREATE VIEW pg_catalog.pg_matviews AS
SELECT n.nspname AS schemaname, c.relname AS matviewname, pg_get_userbyid(c.relowner) AS matviewowner,
	t.spcname AS tablespace, c.relhasindex AS hasindexes, c.relispopulated AS ispopulated,
	pg_get_viewdef(c.oid) AS definition
FROM pg_class c
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
WHERE c.relkind = 'm';

CREATE VIEW pg_catalog.pg_indexes AS
SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, t.spcname AS tablespace,
	pg_get_indexdef(i.oid) AS indexdef
FROM pg_index x
JOIN pg_class c ON c.oid = x.indrelid
JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = i.reltablespace
WHERE c.relkind IN ('r', 'm', 'p');

CREATE VIEW pg_catalog.pg_sequences AS
SELECT n.nspname AS schemaname, c.relname AS sequencename, pg_get_userbyid(c.relowner) AS sequenceowner,
	s.seqtypid AS data_type, s.seqstart AS start_value, s.seqmin AS min_value, s.seqmax AS max_value,
	s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size,
	CASE WHEN has_sequence_privilege(c.oid, 'SELECT,USAGE') THEN pg_sequence_last_value(c.oid) END AS last_value
FROM pg_sequence s
JOIN pg_class c ON c.oid = s.seqrelid
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND NOT pg_is_other_temp_schema(n.oid);

CREATE VIEW pg_catalog.pg_stats AS
SELECT n.nspname AS schemaname, c.relname AS tablename, a.attname, s.stainherit AS inherited, s.stanullfrac AS null_frac,
	s.stawidth AS avg_width, s.stadistinct AS n_distinct,
	CASE 1 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3 WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_vals,
	CASE 1 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3 WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_freqs,
	CASE 2 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3 WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS histogram_bounds,
	CASE 3 WHEN s.stakind1 THEN s.stanumbers1[1] WHEN s.stakind2 THEN s.stanumbers2[1] WHEN s.stakind3 THEN s.stanumbers3[1] WHEN s.stakind4 THEN s.stanumbers4[1] WHEN s.stakind5 THEN s.stanumbers5[1] END AS correlation,
	CASE 4 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3 WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_elems,
	CASE 4 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3 WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_elem_freqs,
	CASE 5 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3 WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS elem_count_histogram
FROM pg_statistic s
JOIN pg_class c ON c.oid = s.starelid
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = s.staattnum
LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT')
	AND (NOT c.relrowsecurity OR NOT row_security_active(c.oid));

CREATE VIEW pg_catalog.pg_stats_ext AS
SELECT cn.nspname AS schemaname, c.relname AS tablename, sn.nspname AS statistics_schemaname, s.stxname AS statistics_name,
	pg_get_userbyid(s.stxowner) AS statistics_owner,
	(SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)) AS attnames,
	pg_get_statisticsobjdef_expressions(s.oid) AS exprs, s.stxkind AS kinds, sd.stxdinherit AS inherited, sd.stxdndistinct AS n_distinct,
	sd.stxddependencies AS dependencies, m.most_common_vals, m.most_common_val_nulls, m.most_common_freqs, m.most_common_base_freqs
FROM pg_statistic_ext s
JOIN pg_class c ON c.oid = s.stxrelid
JOIN pg_statistic_ext_data sd ON s.oid = sd.stxoid
LEFT JOIN pg_namespace cn ON cn.oid = c.relnamespace
LEFT JOIN pg_namespace sn ON sn.oid = s.stxnamespace
LEFT JOIN LATERAL (
	SELECT array_agg(i.values) AS most_common_vals, array_agg(i.nulls) AS most_common_val_nulls,
		array_agg(i.frequency) AS most_common_freqs, array_agg(i.base_frequency) AS most_common_base_freqs
	FROM pg_mcv_list_items(sd.stxdmcv) i) m ON sd.stxdmcv IS NOT NULL
WHERE NOT EXISTS (SELECT FROM pg_attribute a
	WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys) AND NOT has_column_privilege(c.oid, a.attnum, 'SELECT'));

CREATE VIEW pg_catalog.pg_publication_tables AS
WITH member AS (
	SELECT prpubid AS publication, prrelid AS relation FROM pg_publication_rel
	UNION
	SELECT s.pnpubid, k.oid FROM pg_publication_namespace s JOIN pg_class k ON k.relnamespace = s.pnnspid
)
SELECT p.pubname, n.nspname AS schemaname, c.relname AS tablename,
	ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		AND (r.prattrs IS NULL OR a.attnum = ANY (r.prattrs::int2[])) ORDER BY a.attnum) AS attnames,
	pg_get_expr(r.prqual, r.prrelid) AS rowfilter
FROM pg_publication p
CROSS JOIN pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = c.oid AND NOT EXISTS (
	SELECT 1 FROM pg_publication_namespace s WHERE s.pnpubid = p.oid AND s.pnnspid = c.relnamespace)
WHERE c.oid >= 16384 AND c.relpersistence = 'p' AND (c.relkind = 'r' OR c.relkind = 'p' AND p.pubviaroot)
	AND CASE
		WHEN p.puballtables THEN NOT (p.pubviaroot AND c.relispartition)
		WHEN EXISTS (SELECT 1 FROM pg_partition_ancestors(c.oid) AS a (relid)
			JOIN member m ON m.publication = p.oid AND m.relation = a.relid AND a.relid <> c.oid) THEN NOT p.pubviaroot
		ELSE EXISTS (SELECT 1 FROM member m WHERE m.publication = p.oid AND m.relation = c.oid)
	END;
