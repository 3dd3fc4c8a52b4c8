-- The tables that every client of this folder meets. What zproxy alone has is in zorder.sql.
CREATE TABLE customers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CONSTRAINT customers_name_check CHECK (name <> ''),
    email varchar(60) UNIQUE,
    tags text[] NOT NULL DEFAULT '{}',
    profile jsonb,
    created timestamptz NOT NULL DEFAULT '2026-03-01 08:00:00+00'
);
COMMENT ON TABLE customers IS 'who buys';
COMMENT ON COLUMN customers.email IS 'at most one of each';

CREATE TABLE orders (
    customer bigint,
    number serial,
    placed timestamp(3) NOT NULL DEFAULT '2026-03-01 08:00:00',
    total numeric(10,2) CONSTRAINT total_not_negative CHECK (total >= 0),
    note varchar,
    PRIMARY KEY (customer, number)
);
CREATE INDEX orders_placed ON orders (placed DESC) INCLUDE (total);
CREATE INDEX orders_total_note ON orders (total, note DESC);
CREATE UNIQUE INDEX orders_number ON orders (number);
COMMENT ON INDEX orders_placed IS 'the newest first';

CREATE TABLE kinds (
    id int PRIMARY KEY,
    a_bool boolean,
    a_int2 smallint,
    a_int4 integer DEFAULT 7,
    a_int8 bigint,
    a_numeric numeric,
    a_numeric_10_2 numeric(10,2),
    a_float4 real,
    a_float8 double precision,
    a_text text DEFAULT 'it''s',
    a_varchar varchar(20),
    a_char char(5),
    a_bytea bytea,
    a_date date,
    a_time time,
    a_time_3 time(3),
    a_timetz timetz,
    a_timestamp timestamp,
    a_timestamptz timestamptz,
    a_interval interval,
    a_uuid uuid,
    a_json json,
    a_jsonb jsonb,
    a_point point,
    some_int4 int[],
    some_text text[]
);

-- Names that need quotes, and a unique constraint of two columns.
CREATE TABLE "Odd Names" (
    "Key" int PRIMARY KEY,
    "select" int NOT NULL DEFAULT 1,
    "with ""quotes""" text,
    CONSTRAINT "Odd Pair" UNIQUE ("select", "with ""quotes""")
);

CREATE TABLE without_key (a int, b text);

CREATE VIEW large_orders AS
    SELECT c.name, o.number, o.total FROM customers c JOIN orders o ON o.customer = c.id WHERE o.total > 20;
COMMENT ON VIEW large_orders IS 'above twenty';

CREATE SEQUENCE invoices START WITH 1000 INCREMENT BY 10;

CREATE SCHEMA archive;
CREATE TABLE archive.orders (
    year int,
    number int,
    total numeric(10,2),
    PRIMARY KEY (year, number)
);
CREATE INDEX archive_total ON archive.orders (total);

INSERT INTO customers (name, email, tags, profile) VALUES
    ('ann', 'ann@example.org', '{new,vip}', '{"lang": "de", "limit": 500}'),
    ('bob', NULL, '{}', '{"lang": "fr"}'),
    ('cem', 'cem@example.org', '{vip}', NULL);
INSERT INTO orders (customer, placed, total, note) VALUES
    (1, '2026-03-01 08:10', 11.50, 'first'), (2, '2026-03-01 08:40', 39.90, NULL),
    (1, '2026-03-01 17:05', 14.20, 'gift'), (1, '2026-03-02 09:00', 62.00, NULL);
INSERT INTO kinds VALUES
    (1, true, -32768, 2147483647, -9223372036854775808, 12345678901234567890.0123456789, 1200.5, 1.5, 1e300,
     'é ''quoted'' \ text', 'some', 'abc', '\x00ff5c', '2024-02-29', '23:59:59.999999', '12:34:56.789', '12:00:00+02',
     '1999-12-31 23:59:59.999999', '2024-07-01 12:00:00+02', '1 year 2 mons 3 days 04:05:06.7', 'a0000000-0000-0000-0000-000000000001',
     '{"a":[1.5,"x",null]}', '{"b": {"c": [1, 2]}, "a": null}', '(1.5,-2)', '{1,NULL,3}', '{"a b",NULL,"c,d","e\"f"}'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL),
    (3, false, 32767, -2147483648, 9223372036854775807, 'NaN', -0.01, 'Infinity', '-Infinity',
     '', '', '', '', '0001-01-01', '00:00:00', '00:00:00', '00:00:00-05:30',
     'infinity', '-infinity', '-1 mons +2 days -00:00:01', '00000000-0000-0000-0000-000000000000',
     'null', '[]', '(0,0)', '{}', '{}');
INSERT INTO "Odd Names" ("Key", "with ""quotes""") VALUES (1, 'x'), (2, 'y');
INSERT INTO archive.orders VALUES (2024, 1, 5.00), (2025, 1, 7.50);
