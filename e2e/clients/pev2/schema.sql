-- Tables whose plans pev2 draws.
CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, item int NOT NULL, total numeric(10,2) NOT NULL);
CREATE INDEX orders_item ON orders (item);
INSERT INTO items SELECT n, 'item ' || n FROM generate_series(1, 500) n;
INSERT INTO orders SELECT n, n % 500 + 1, n % 97 FROM generate_series(1, 2000) n;
ANALYZE items;
ANALYZE orders;
