-- What psql does with data: variables, \copy, \gset, \gexec, cursors, transactions, errors.
\set VERBOSITY verbose
\set SHOW_CONTEXT never
\timing on
SELECT 1 AS one;
\timing off
\set low 12
\set who 'ann'
SELECT number, total FROM orders WHERE total > :low ORDER BY number;
SELECT :'who' AS who, :"who" FROM (SELECT 1 AS ann) s;
PREPARE by_customer (bigint, numeric) AS SELECT number, placed, total FROM orders WHERE customer = $1 AND total > $2 ORDER BY number;
EXECUTE by_customer(1, 12);
DEALLOCATE by_customer;
SELECT count(*) AS n, max(total) AS most FROM orders \gset
\echo :n :most
SELECT format('SELECT %s AS made', n) FROM generate_series(1, 3) n \gexec
SELECT * FROM kinds WHERE false \gdesc
SELECT customer, number, total FROM orders ORDER BY 1, 2 \crosstabview customer number total
\x on
SELECT * FROM kinds ORDER BY id;
\x off
\pset null '(null)'
\pset format csv
SELECT * FROM kinds ORDER BY id;
\pset format aligned
TABLE large_orders ORDER BY number;

-- a transaction with an error and a rollback
BEGIN;
INSERT INTO without_key VALUES (1, 'lost');
INSERT INTO customers (name) VALUES ('');
SELECT 1;
ROLLBACK;
SELECT count(*) FROM without_key;
BEGIN;
INSERT INTO without_key VALUES (1, 'one');
SAVEPOINT s;
INSERT INTO without_key VALUES (2, 'lost');
ROLLBACK TO s;
COMMIT;
\set ON_ERROR_ROLLBACK on
BEGIN;
INSERT INTO without_key VALUES (3, 'three');
SELECT 1/0;
COMMIT;
\set ON_ERROR_ROLLBACK off
\set AUTOCOMMIT off
INSERT INTO without_key VALUES (4, 'lost');
ROLLBACK;
\set AUTOCOMMIT on
TABLE without_key ORDER BY a;
SELECT * FROM nothing;
\errverbose
INSERT INTO customers (name, email) VALUES ('x', 'ann@example.org');
\errverbose
SELECT 1; SELECT 2 \; SELECT 1/0 \; SELECT 3;

-- rows that come in parts
\set FETCH_COUNT 3
SELECT n, n * n AS square FROM generate_series(1, 10) n;
SELECT * FROM orders ORDER BY number;
\unset FETCH_COUNT
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT n FROM generate_series(1, 10) n;
FETCH 2 FROM c;
FETCH ABSOLUTE 9 FROM c;
FETCH PRIOR FROM c;
MOVE LAST IN c;
FETCH BACKWARD 2 FROM c;
SELECT name, statement, is_holdable, is_binary, is_scrollable FROM pg_cursors;
CLOSE c;
COMMIT;

-- \copy
CREATE TABLE copied (a int PRIMARY KEY, b text, c numeric(6,2), d date);
\copy copied FROM stdin WITH (FORMAT csv, HEADER, NULL 'none')
a,b,c,d
1,"x, ""y""",1.5,2024-02-29
2,none,none,none
\.
\copy copied (a, b) from pstdin
3	tab\tand \\ backslash
4	\N
\.
\copy copied to stdout
\copy (SELECT a, b, d FROM copied ORDER BY a DESC) to stdout with csv header
\copy copied (b, a) to stdout (format csv, delimiter ';', quote '''', force_quote *)
COPY copied FROM stdin;
5	too	many	columns	here
\.
COPY copied FROM stdin (FORMAT csv);
x,y,1,2024-01-01
\.
DROP TABLE copied;
\encoding
\encoding LATIN1
SELECT 'é' AS accent;
\encoding UTF8
SHOW client_encoding;
SELECT current_user, current_database(), current_schema, pg_backend_pid() > 0 AS pid;
