package advice

// rules is all advice there is; docs/advice.md is made from it.
var rules = []rule{
	{
		code: "01Z01", title: "a primary key that begins with a time",
		why:   "Most new rows have the latest times, so they all go to one end of the key's order, ascending or descending: one range of the store takes all writes, whatever else the key holds. The same is true of a column of any type whose default is the current time. If times do not arrive in order (times of births do not), the key needs no change. On DynamoDB, where partitions have no order, the problem is another one: each time is a partition, so a range of times reads the whole table.",
		do:    "Put another column first, `PRIMARY KEY (user_id, at)` or `(user_id, at DESC)`. If queries read rows by time alone, keep the order and add shards: `CREATE TABLE ... (..., PRIMARY KEY (at, user_id)) WITH (shards = 16)`.",
		judge: tableBeginsWithTime,
	},
	{
		code: "01Z02", title: "an index that begins with a time",
		why:   "An index is stored like a table: entries that arrive in the order of time all go to one end of it. On DynamoDB each goes to a partition of its own, and a range of times cannot find them.",
		do:    "`CREATE INDEX ... ON t (at) WITH (shards = 4)`, which still serves ranges and ORDER BY: its shards are read at the same time and merged.",
		judge: indexBeginsWithTime,
	},
	{
		code: "01Z03", title: "a key that begins with uuids in the order of time",
		why:    "Uuids of the versions 1, 6 and 7 begin with the time of their creation, so they all go to one range of the store, as times do. The advice goes by the default of the column, or by the values of a table that has rows. It includes uuids that are stored as text or as 16 bytes.",
		do:     "`DEFAULT gen_random_uuid()` makes uuids of version 4, which are random; or `WITH (shards = 16)`.",
		stores: ordered,
		judge:  beginsWithTimedUUID,
	},
	{
		code: "01Z04", title: "a key that begins with numbers of a sequence",
		why:    "The numbers of `serial`, of an identity column and of `nextval` grow, so all new rows go to one end of the key. Also, queries seldom name a number that exists only in the table, although reading by the primary key is cheapest.",
		do:     "Make the key from the columns that queries name; a key is unique without a sequence, too. To keep the numbers: `WITH (shards = 16)`, `DEFAULT bit_reverse(nextval('s'))`, or a prefix, `WITH (partition_key = '{md5(order_number):4}{order_number}')`.",
		stores: ordered,
		judge:  beginsWithSequence,
	},
	{
		code: "01Z05", title: "a partition key of few values",
		why:    "All rows with the same partition key are in one partition, which takes a limited number of reads and writes a second: few values make few partitions, and the busiest one is the limit. The advice comes at once for a boolean and for a column to which a `CHECK` leaves at most 32 values; for other columns when the table has rows: at least 100 for each of at most 32 values.",
		do:     "Begin with a column of many values, or partition by more columns, `PARTITION BY HASH (customer_id, product_id)`; `WITH (shards = 16)` spreads rows without either.",
		stores: hashed,
		judge:  fewPartitions,
	},
	{
		code: "01Z06", title: "a hash of random values",
		why:   "Random uuids are distributed as evenly as a hash of them, and some stores hash partition keys anyway. A second hash makes keys harder to read and their distribution no more even, and ranges have to read every prefix. The same is true of a partition key that is only the md5 of a column. For uuids that clients make, the advice goes by the values of the table.",
		do:    "Leave the hash out: `PRIMARY KEY (customer_id)`. Sharding is for keys that begin alike or grow.",
		judge: hashedTwice,
	},
	{
		code: "01Z07", title: "a Z-order index of many columns",
		why:   "Every column of a Z-order index that a query does not bound multiplies the number of entries it reads, and all columns share the bits of a Z-address. With more than four columns, or with all columns of a table, hardly any query bounds enough of them.",
		do:    "List the queries that the index is for, and take the two to four columns that most of them bound narrowly.",
		judge: manyDimensions,
	},
	{
		code: "01Z08", title: "a dimension of at most two values",
		why:   "A dimension of a Z-order index is useful as far as its bounds exclude rows. A boolean that is true for 5 rows in 100 excludes a twentieth of the rows when a query asks for the others, and doubles the space to search for all queries without a condition on it.",
		do:    "Leave it out; its condition is checked on the rows that the other bounds find.",
		judge: dimensionOfTwoValues,
	},
	{
		code: "01Z09", title: "a text dimension without a width",
		why:   "Every value of a dimension takes the same number of bits. A text without a declared width takes its first 8 bytes when the index is built on an empty table. The last ones seldom distinguish rows, but widen the Z-address of every entry.",
		do:    "Declare how many bytes distinguish the texts: `USING zorder (price, word zorder_ops (bytes = 4))`. Or fill the table first: an index that learns from rows takes 4 bytes.",
		judge: textWithoutWidth,
	},
	{
		code: "01Z10", title: "a text dimension whose values begin alike",
		why:   "With a width in bytes, or a raw map, the index sees only the first bytes of a text. Addresses that begin with `http://www.` are equal to it, so every query on them reads most of the index, however narrow its bounds are.",
		do:    "Declare neither a width nor a map once the table has rows: the index then learns the prefix that nearly all texts have in common, and leaves it out. Or leave the column out of the Z-order index, and give it an index of its own.",
		judge: textsBeginAlike,
	},
	{
		code: "01Z11", title: "a number in a text key without zeros in front",
		why:    "As texts, 167 sorts before 54. A partition key that joins an integer with columns after it orders rows differently from the integer, and ranges of the integer are not ranges of the key.",
		do:     "Pad it to the digits of the largest number: `'{device_id:06},{seller_id}'`.",
		stores: ordered,
		judge:  unpaddedNumber,
	},
	{
		code: "01Z12", title: "a connector that does not sort below letters and digits",
		why:    "With `:` between them, `a1001:x` sorts before `a100:y`, although a100 is less than a1001: `:` is above the digits.",
		do:     "Join with a comma, which sorts below every digit and letter.",
		stores: ordered,
		judge:  highConnector,
	},
	{
		code: "01Z13", title: "a key column of more than 100 bytes",
		why:   "A key is stored with every row, and again in every entry of every index. Long keys make rows and entries larger and comparisons slower. A sort key has at most 1,024 bytes. The advice goes by the declared length of the type, with one byte for each character, or if there is none by the statistics of `ANALYZE`: the values have more than 100 bytes on average.",
		do:    "Declare the length that the column needs, or make the key from a shorter column, such as the md5 of the long one.",
		judge: longColumns,
	},
	{
		code: "01Z14", title: "a Z-order index that was built for other rows",
		why:   "A Z-order index learns the distribution of values when it is built, and keeps using it. An index that was built on an empty table has learned nothing: numbers and times then begin with the same bits, so that the columns have unequal weight. An index whose table has grown far beyond the rows it was built from distinguishes new rows as badly. The advice comes when a quarter of the values of a column are in a sixteenth of its part of the address, and a third fewer would be in an index that is built now.",
		do:    "`REINDEX INDEX i`, or `REINDEX INDEX CONCURRENTLY i` while others read and write, learns the distribution again. Fill a table first, then create its Z-order indexes; or declare the bounds of values, `CHECK (lat BETWEEN -90 AND 90)`.",
		judge: mapsOfOtherRows,
	},
	{
		code: "01Z15", title: "a Z-order layout in a single partition",
		why:    "On DynamoDB a partition takes 1,000 writes and 3,000 reads of small items a second. A Z-order index without a partition key has all entries in one partition, and so has a table whose primary key is in Z-order.",
		do:     "`WITH (partition_bits = 4)` makes the first bits of the Z-address the partition key: a box reads few partitions, but rows that are near each other are written to the same one. `WITH (shards = 4)` spreads all writes evenly, but every box reads each shard. `PARTITION BY HASH (kind)` of a table, and `WITH (partition_key = '{kind}')` of an index, serve queries that name the kind.",
		stores: metered,
		judge:  singlePartition,
	},
	{
		code: "01Z16", title: "a text key that mixes formats of dates",
		why:   "Dates as texts are in the order of days only if all are written one way, `2016-02-01`. Beside those of weeks, `2016-W05-1`, or of days of the year, `2016-032`, a range of them leaves days out. Said when nearly all known values of a text column of a key or a Z-order index are dates, and not all of them in one format.",
		do:    "Write them one way, as the hint does, or better as a `date`: `ALTER TABLE t ALTER COLUMN day TYPE date USING day::date`.",
		judge: mixedDates,
	},
	{
		code: "01Z17", title: "a text key that mixes forms of Unicode",
		why:   "An é is one character, or an e with an accent behind it. They look alike, but are different texts, which sort in different places and are found by different queries. Said when of the known values of a text column of a key or a Z-order index some are in one form and some in the other.",
		do:    "Write them in one form, as the hint does, and see to it that it stays so: `ALTER TABLE t ADD CHECK (name IS NORMALIZED)`.",
		judge: mixedForms,
	},
}
