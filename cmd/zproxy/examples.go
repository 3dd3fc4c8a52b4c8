package main

// loading is how the demo makes and fills its table.
var loading = []string{
	`CREATE TABLE cities (id int PRIMARY KEY, name text, country text, admin1 text, feature text,
    population int, lon double precision, lat double precision)`,
	`COPY cities FROM STDIN WITH (FORMAT csv, HEADER)`,
	`CREATE INDEX cities_country_population ON cities (country, population DESC) INCLUDE (name)`,
	`CREATE INDEX cities_name ON cities (name)`,
	`CREATE INDEX cities_place ON cities USING zorder (lon, lat, population)`,
}

// example is a query with its story.
type example struct {
	story    string
	sql      string
	explain  string // how it is explained; empty: with ANALYZE
	planOnly bool   // its rows have been shown
	rowsOnly bool   // its plan is of no interest
	mistake  bool   // it fails
}

// swissBox is larger cities in and around Switzerland.
const swissBox = `SELECT name, country, population FROM cities
WHERE lon BETWEEN 5.9 AND 10.5 AND lat BETWEEN 45.8 AND 47.8 AND population >= 100000
ORDER BY population DESC`

// swissPicture is a map around swissBox, of cells that the ranges that cover the box hold at the
// height of 200,000 inhabitants, or do not hold.
const swissPicture = `WITH cover AS MATERIALIZED (SELECT * FROM zproxy.zorder_ranges('cities_place',
    'lon BETWEEN 5.9 AND 10.5 AND lat BETWEEN 45.8 AND 47.8 AND population >= 100000'))
SELECT lat, string_agg(CASE
    WHEN NOT EXISTS (SELECT FROM cover r WHERE cell.zlow BETWEEN r.zlow AND r.zhigh) THEN '.'
    WHEN lon BETWEEN 5.9 AND 10.5 AND lat BETWEEN 45.8 AND 47.8 THEN '#' ELSE '+' END, '' ORDER BY lon) AS "lon 4 to 12.4"
FROM generate_series(44.8, 48.8, 0.2) lat, generate_series(4, 12.4, 0.15) lon,
    zproxy.zorder_ranges('cities_place', format('lon = %s AND lat = %s AND population = 200000', lon, lat)) cell
GROUP BY lat ORDER BY lat DESC`

var examples = []example{{
	story: "One place by its primary key: one key is read.",
	sql:   `SELECT name, country, population, lon, lat FROM cities WHERE id = 2950159`,
}, {
	story: `The five largest cities of Japan. The index holds them in this order, so reading stops
   after five entries; and it holds their names, so that no row is fetched.`,
	sql: `SELECT name, population FROM cities WHERE country = 'JP' ORDER BY population DESC LIMIT 5`,
}, {
	story: `Names that begin with San Fr: one span of the index on names, then the rows behind its
   entries, fetched a hundred at a time.`,
	sql: `SELECT name, country, admin1, population FROM cities WHERE name LIKE 'San Fr%' AND population > 100000`,
}, {
	story: `Large cities on a part of the map: ranges of three columns at once. An index that is
   ordered by columns could use one of them; the Z-order index uses all three.`,
	sql: swissBox,
}, {
	story:    "Why that query is read in this way: every path there is, and what put it behind.",
	sql:      swissBox,
	explain:  "EXPLAIN (WHY)",
	planOnly: true,
}, {
	story: `A picture of it. zproxy.zorder_ranges tells by which ranges of Z-addresses a box can be
   covered, and so also at which address a single point is. A map of Switzerland as the index
   sees it: # is read and wanted, + is read in vain, and the dots are not read.`,
	sql:      swissPicture,
	rowsOnly: true,
}, {
	story: "Nothing bounds this one. It reads everything, and EXPLAIN says so beforehand.",
	sql: `SELECT country, count(*) AS places, sum(population) AS people FROM cities
GROUP BY country ORDER BY people DESC LIMIT 10`,
	explain: "EXPLAIN",
}, {
	story:   "A mistake: the error says what it is and where.",
	sql:     `SELECT name, people FROM cities WHERE id = 2950159`,
	mistake: true,
}}

// demoEnd closes the demo; it takes the line to connect with.
const demoEnd = `
zproxy is ready; connect with: %s

Things to try:
    SHOW INDEX FROM cities;
    EXPLAIN (ANALYZE) SELECT * FROM cities WHERE country = 'IS' AND population < 2000;
    EXPLAIN (ANALYZE) SELECT /*+ IGNORE_INDEX(cities, cities_place) */ name FROM cities
        WHERE lon BETWEEN 5.9 AND 10.5 AND lat BETWEEN 45.8 AND 47.8;
    SELECT range, inside, entries, low, high FROM zproxy.zorder_ranges('cities_place', 'lon > 179 AND lat BETWEEN -20 AND -15');
    INSERT INTO cities (id, name) VALUES (2950159, 'Berlin');   -- a mistake: it is there already
    EXPLAIN (ANALYZE) SELECT a.name, b.country FROM cities a JOIN cities b ON b.name = a.name AND b.country <> a.country
        WHERE a.population > 3000000;                           -- namesakes of large cities
Ctrl-C ends the demo and removes its data.
`
