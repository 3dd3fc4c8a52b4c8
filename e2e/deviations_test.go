package e2e

// noClasses is why cold data stays where it is on the emulator, which refuses to change the class of a table.
const noClasses = "DynamoDB Local has no storage classes"

// deviations are what scripts are promised to answer otherwise on DynamoDB, and why. One that
// no longer differs fails the test.
var deviations = []deviation{
	{script: "zproxy/cold_data", statement: `ALTER TABLE public."visits Old" SET (storage_class`, rest: true, on: onDynamoDB.name, reason: noClasses},
	{script: "zproxy/full_scans", statement: "SELECT * FROM t WHERE a BETWEEN 1 AND 2 AND b BETWEEN 3 AND 4", reason: "two partitions are read one by one"},
	{script: "zproxy/partition_intervals", statement: "CREATE TABLE by_hour_old PARTITION OF by_hour", rest: true, on: onDynamoDB.name, reason: noClasses},
	{script: "zproxy/ttl_writes", statement: "BEGIN; SELECT zproxy.expire('r')", reason: "object IDs of the attempts that were too large are not used again"},
	{script: "zproxy/ttl_writes", statement: "SHOW zproxy.ttl_interval", reason: "DynamoDB removes expired rows itself"},
}
