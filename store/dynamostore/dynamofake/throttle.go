package dynamofake

import (
	"strings"
)

// throttle is the error of a request that is refused for a reason. resource is the table, or
// table/index/name, and other says which error it is where DynamoDB has two.
func throttle(why, resource string, other bool) error {
	kind, text, reasons := throughput,
		"The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.", "ThrottlingReasons"
	if strings.HasPrefix(why, "Index") {
		text = "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API."
	}
	switch {
	case strings.HasSuffix(why, accountExceeded):
		kind, text = requestLimit,
			"Throughput exceeds the current throughput limit for your account. Please contact AWS Support at https://aws.amazon.com/support request a limit increase"
		if other {
			kind, reasons = throttling, "throttlingReasons"
		}
	case strings.HasSuffix(why, onDemandExceeded):
		kind, text, reasons = throttling,
			"Throughput exceeds the maximum OnDemandThroughput configured on table or index", "throttlingReasons"
	case strings.HasSuffix(why, keyRangeExceeded) && other:
		kind, text, reasons = throttling, reasonText("ThrottlingError"), "throttlingReasons"
	}
	f := failureOf(fail(kind, "%s", text))
	f.more = fields{{reasons, []any{fields{{"reason", why}, {"resource", arn + resource}}}}}
	return f
}

// mayWrite refuses a write whose partition, or the partition of an entry in an index, has had
// all that it takes in a second.
func (c *call) mayWrite(ch *change) error {
	if err := c.limited(ch.table, nil, ch.key.partition, false); err != nil {
		return err
	}
	for _, x := range ch.table.indexes {
		if p, _, ok := x.entry(ch.table, ch.new); ok {
			if err := c.limited(ch.table, x, p.partition, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayRead is the same for a read; a scan names no partition.
func (c *call) mayRead(t *table, x *index, partition string) error {
	return c.limited(t, x, partition, true)
}

// limited holds a partition to what it takes, and a table or index to what is provisioned.
func (c *call) limited(t *table, x *index, partition string, read bool) error {
	tree, set, on, resource := t.base, &t.settings, "Table", t.name
	if x != nil {
		tree, on, resource = x.entries, "Index", t.name+"/index/"+x.name
		if !x.local {
			set = &x.settings
		}
	}
	what, limit, provisioned := "Write", c.options.WriteLimit, float64(set.writes)
	if read {
		what, limit, provisioned = "Read", c.options.ReadLimit, float64(set.reads)
	}
	if p := tree.byKey[partition]; p != nil && p.spent.of(read).full(c.now, limit) {
		return throttle(on+what+keyRangeExceeded, resource, false)
	}
	if c.options.Provisioned && set.spent.of(read).full(c.now, provisioned) {
		return throttle(on+what+provisionedExceeded, resource, false)
	}
	return nil
}

func (s *spent) of(read bool) *bucket {
	if read {
		return &s.reads
	}
	return &s.writes
}
