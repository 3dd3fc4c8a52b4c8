package advice

// rules is all advice there is; docs/advice.md is made from it.
var rules = []rule{
	{
		code: "01Z01", title: "a primary key that begins with a time",
		why:   "New rows mostly have the latest times, so that all of them go to one end of the key's order, ascending or descending: one place of the store takes all writes, whatever else the key holds. The same holds for a column of any type whose default is the time. Where times do not come in their order, as those of births do not, there is nothing to mend. On DynamoDB, where partitions have no order, such a key costs something else: each time is a partition, so that a range of times reads the whole table.",
		do:    "Put another column first, `PRIMARY KEY (user_id, at)` or `(user_id, at DESC)`. Where rows are read by time alone, keep the order and spread it: `CREATE TABLE ... (..., PRIMARY KEY (at, user_id)) WITH (shards = 16)`.",
		judge: tableBeginsWithTime,
	},
	{
		code: "01Z02", title: "an index that begins with a time",
		why:   "An index is kept as a table is: entries that come in the order of time all go to one end of it, or on DynamoDB each to a partition of its own, which no range of times finds.",
		do:    "`CREATE INDEX ... ON t (at) WITH (shards = 4)`, which still serves ranges and ORDER BY; its parts are read side by side and merged.",
		judge: indexBeginsWithTime,
	},
	{
		code: "01Z03", title: "a key that begins with uuids in the order of time",
		why:    "Uuids of the versions 1, 6 and 7 begin with the time at which they were made, so that they all go to one place as times do. A default tells, or the values of a table that has rows; also of uuids that are kept as text or as 16 bytes.",
		do:     "`DEFAULT gen_random_uuid()` makes uuids of version 4, which spread by themselves; or `WITH (shards = 16)`.",
		stores: ordered,
		judge:  beginsWithTimedUUID,
	},
	{
		code: "01Z04", title: "a key that begins with numbers of a sequence",
		why:    "The numbers of `serial`, of an identity column and of `nextval` grow, so that all new rows go to one end of the key. And queries seldom ask for a number that is known only in the table: the key, by which reading is cheapest, is spent on it.",
		do:     "Make the key of the columns that queries name; a unique key is guarded without a sequence, too. To keep the numbers: `WITH (shards = 16)`, `DEFAULT bit_reverse(nextval('s'))`, or a prefix, `WITH (partition_key = '{md5(order_number):4}{order_number}')`.",
		stores: ordered,
		judge:  beginsWithSequence,
	},
	{
		code: "01Z05", title: "a partition key of few values",
		why:    "All rows with the same partition key lie in one partition, which has one place and takes so many reads and writes a second: with a few values there are a few partitions, and the busiest value decides. Of a boolean this is known at once, and of a column to which a `CHECK` leaves at most 32 values; of others when the table has rows: at least 100 for each of at most 32 values.",
		do:     "Begin with a column of many values, or make more columns the partition, `PARTITION BY HASH (customer_id, product_id)`; `WITH (shards = 16)` spreads rows without either.",
		stores: hashed,
		judge:  fewPartitions,
	},
	{
		code: "01Z06", title: "a hash of what spreads by itself",
		why:   "Random uuids are as even as a hash of them, and stores that hash partition keys do so anyhow: a hash on top makes keys harder to read and nothing more even, and ranges have to ask for every prefix. The same holds for a partition key that is nothing but the md5 of a column. Of uuids from elsewhere only their values tell whether they are random.",
		do:    "Leave the hash out: `PRIMARY KEY (customer_id)`. Sharding is for keys that begin alike or grow.",
		judge: hashedTwice,
	},
	{
		code: "01Z07", title: "a Z-order index of many columns",
		why:   "Every column of a Z-order index that a query does not bound multiplies what it has to read, and the bits of a Z-address are shared by all of them. With more than four, or with all columns of a table, hardly a query bounds enough.",
		do:    "List the queries that the index is for, and take the two to four columns that most of them bound narrowly.",
		judge: manyDimensions,
	},
	{
		code: "01Z08", title: "a dimension of at most two values",
		why:   "A dimension of a Z-order index is worth what its bounds exclude. A boolean that is true for 5 rows in 100 excludes a twentieth when one asks for the others, and makes the space to search twice as large for all queries that do not ask.",
		do:    "Leave it out; the condition on it is checked on the rows that the other bounds find.",
		judge: dimensionOfTwoValues,
	},
	{
		code: "01Z09", title: "a text dimension without a width",
		why:   "Every value of a dimension takes the same number of bits. A text without a declared width takes its first 8 bytes when the index is built on an empty table, of which the last ones seldom tell rows apart, but widen the Z-address of every entry.",
		do:    "Say how many bytes tell the texts apart: `USING zorder (price, word zorder_ops (bytes = 4))`. Or fill the table first: what is learned from its rows takes 4 bytes.",
		judge: textWithoutWidth,
	},
	{
		code: "01Z10", title: "a text dimension whose values begin alike",
		why:   "With a width in bytes, or a raw map, the index sees only the first bytes of a text. Addresses that begin with `http://www.` look the same to it, so that every query on them reads most of the index, however narrow its bounds are.",
		do:    "Say neither a width nor a map, once the table has rows: what is learned of them leaves out the beginning that nearly all of them have in common. Or leave the column out of the Z-order index, and give it an index of its own.",
		judge: textsBeginAlike,
	},
	{
		code: "01Z11", title: "a number in a text key without zeros in front",
		why:    "As texts, 167 sorts before 54. A partition key that joins an integer with columns behind it keeps rows in another order than the integer's, and ranges over it cannot be read as ranges.",
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
		why:   "A key is stored with every row, and again in every entry of every index; long ones make all of them larger and every comparison slower. A sort key has at most 1,024 bytes. The type tells, of each character as if it was one byte, or where that has no length `ANALYZE` does: when the values have more than 100 bytes on average.",
		do:    "Declare what the column needs, or make the key of a shorter column, such as the md5 of the long one.",
		judge: longColumns,
	},
	{
		code: "01Z14", title: "a Z-order index that was built for other rows",
		why:   "A Z-order index learns when it is built how values spread, and goes on with that. One that was built on an empty table has learned nothing: numbers and times begin with the same bits then, so that the columns are not treated alike. One whose table has grown far beyond what was there tells new rows apart as badly. Said when a quarter of the values of a column lie in a sixteenth of its part of the address, and a third fewer would in an index that is built now.",
		do:    "`REINDEX INDEX i`, or `REINDEX INDEX CONCURRENTLY i` beside readers and writers, learns anew. Fill a table first, then create its Z-order indexes; or declare the bounds of values, `CHECK (lat BETWEEN -90 AND 90)`.",
		judge: mapsOfOtherRows,
	},
	{
		code: "01Z15", title: "a Z-order layout in a single partition",
		why:    "On DynamoDB a partition takes 1,000 writes and 3,000 reads of small items a second. A Z-order index without a partition of its own has all entries in one, and so has a table whose primary key is in Z-order.",
		do:     "`WITH (partition_bits = 4)` makes the first bits of the Z-address the partition: boxes ask few of them, but rows that are near each other are written to the same one. `WITH (shards = 4)` spreads all writes evenly, and every box asks each shard. `PARTITION BY HASH (kind)` of a table, and `WITH (partition_key = '{kind}')` of an index, serve queries that name the kind.",
		stores: metered,
		judge:  singlePartition,
	},
}
