package e2e

// tooMany is the reason for most deviations.
const tooMany = "a transaction of more than 100 items is refused"

// noClasses is why cold data stays where it is on the emulator, which refuses to change the class of a table.
const noClasses = "DynamoDB Local has no storage classes"

// deviations are what scripts are promised to answer otherwise on DynamoDB, and why. One that
// no longer differs fails the test.
var deviations = []deviation{
	{script: "postgres/index_merge", statement: "UPDATE m SET a = b, b = a", rest: true, reason: tooMany},
	{script: "zproxy/cold_data", statement: `ALTER TABLE public."visits Old" SET (storage_class`, rest: true, on: onDynamoDB.name, reason: noClasses},
	{script: "zproxy/full_scans", statement: "SELECT * FROM t WHERE a BETWEEN 1 AND 2 AND b BETWEEN 3 AND 4", reason: "two partitions are read one by one"},
	{script: "zproxy/index_builds", statement: "DELETE FROM t WHERE id % 2 = 1", rest: true, reason: tooMany},
	{script: "zproxy/index_merge", statement: "DELETE FROM m WHERE a = 7 OR b = 7", rest: true, reason: tooMany},
	{script: "zproxy/parallel_scans", statement: "DELETE FROM s WHERE p IN", rest: true, reason: tooMany},
	{script: "zproxy/partition_intervals", statement: "CREATE TABLE by_hour_old PARTITION OF by_hour", rest: true, on: onDynamoDB.name, reason: noClasses},
	{script: "zproxy/sizes", statement: "DELETE FROM sized", rest: true, reason: tooMany},
	{script: "zproxy/ttl_writes", statement: "BEGIN; SELECT zproxy.expire('r')", reason: "object IDs of the attempts that were too large are not used again"},
	{script: "zproxy/ttl_writes", statement: "SHOW zproxy.ttl_interval", reason: "DynamoDB removes expired rows itself"},
	{script: "zproxy/writes_of_designed_keys", statement: "CREATE TABLE r (id int4 PRIMARY KEY, n int4) WITH (shards = 5, shard_by = 'random');\nCREATE UNIQUE NULL_FILTERED", rest: true, reason: tooMany},
	{script: "zproxy/write_once", statement: "EXECUTE more(3, 6000)", rest: true, reason: tooMany},
}
