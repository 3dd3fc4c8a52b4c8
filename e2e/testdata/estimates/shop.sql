-- A shop with skew and correlation: few customers and products have most lines, a city says which nation it is in, a
-- brand which category, a state how old an order is, and a discount who gets it.

CREATE TABLE nations (nation int PRIMARY KEY, name text, region int);
INSERT INTO nations SELECT n, 'nation ' || n, n % 5 FROM generate_series(0, 24) AS n;

CREATE TABLE customers (id int PRIMARY KEY, nation int, city int, segment text, since date, note text);
INSERT INTO customers SELECT n, (n * 7919 % 625) / 25 * (n * 7919 % 625 % 25) / 25,
  ((n * 7919 % 625) / 25 * (n * 7919 % 625 % 25) / 25) * 8 + n % 8,
  (ARRAY['retail', 'retail', 'retail', 'trade', 'trade', 'public', 'export'])[1 + n * 31 % 7],
  date '2015-01-01' + n * 17 % 3000,
  CASE WHEN n % 9 > 0 THEN 'pays ' || (ARRAY['late', 'at once', 'by card'])[1 + n * 13 % 3] END
FROM generate_series(1, 4000) AS n;
CREATE INDEX customers_nation ON customers (nation, city);

CREATE TABLE products (id int PRIMARY KEY, category int, brand int, name text, price int);
INSERT INTO products SELECT n, n % 40, n % 40 * 5 + n / 40 % 5, 'part ' || chr(97 + n % 26) || n, 100 + n * 37 % 9900
FROM generate_series(1, 1500) AS n;

CREATE TABLE orders (id int PRIMARY KEY, customer int, placed date, state text, total int);
INSERT INTO orders SELECT n, 1 + (n * 7907::int8 % 4001 * (n * 104729::int8 % 3989) / 4001) % 4000,
  date '2020-01-01' + n / 15,
  CASE WHEN n < 24000 THEN 'sent' WHEN n < 28000 THEN (ARRAY['sent', 'packed'])[1 + n % 2] ELSE (ARRAY['packed', 'open', 'open'])[1 + n % 3] END,
  100 + n * 7919::int8 % 99991
FROM generate_series(1, 30000) AS n;
CREATE INDEX orders_customer ON orders (customer, placed);

CREATE TABLE lines (order_id int, no int, product int, quantity int, discount int, PRIMARY KEY (order_id, no));
INSERT INTO lines SELECT o, k, 1 + (o * 31 * k + o * 7907::int8 % 1499 * (o * k * 104729::int8 % 1493) / 1499) % 1500,
  1 + (o + k) * 7 % 10, CASE WHEN o % 10 = 0 THEN 5 * (1 + k % 4) END
FROM generate_series(1, 30000) AS o, generate_series(1, 4) AS k WHERE k <= 1 + o % 4;
CREATE INDEX lines_product ON lines (product);

ANALYZE nations;
ANALYZE customers;
ANALYZE products;
ANALYZE orders;
ANALYZE lines;
