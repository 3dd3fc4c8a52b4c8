-- What psql shows of what zproxy alone has. It is compared with zorder.out.
\set QUIET on
CREATE TABLE places (id int PRIMARY KEY, x int NOT NULL, y int NOT NULL, name text);
CREATE INDEX places_z ON places USING zorder (x, y);
CREATE INDEX places_name ON places (name) INCLUDE (x);
COMMENT ON INDEX places_z IS 'by place';
INSERT INTO places SELECT n, n % 10, n / 10, 'p' || n FROM generate_series(0, 99) n;
ANALYZE places;
\d places
\d places_z
\di+ places*
\dA zorder
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'places' ORDER BY 1;
SELECT * FROM zproxy.indexes WHERE tablename = 'places' ORDER BY indexname;
SELECT id FROM places WHERE x BETWEEN 3 AND 4 AND y BETWEEN 7 AND 8 ORDER BY id;
