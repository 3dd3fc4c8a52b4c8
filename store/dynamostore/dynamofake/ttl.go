package dynamofake

import (
	"strconv"
	"time"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// updateTTL is UpdateTimeToLive.
type updateTTL struct {
	TableName               string
	TimeToLiveSpecification struct {
		AttributeName string
		Enabled       bool
	}
}

func (u *updateTTL) names() []string { return []string{nameOf(u.TableName)} }

func (u *updateTTL) check() error { return nil }

func (u *updateTTL) run(c *call) (fields, error) {
	t, err := c.table(nameOf(u.TableName))
	if err != nil {
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", nameOf(u.TableName))
	}
	s := &u.TimeToLiveSpecification
	switch {
	case s.Enabled && t.ttl != "":
		return nil, invalid("TimeToLive is already enabled")
	case !s.Enabled && t.ttl == "":
		return nil, invalid("TimeToLive is already disabled")
	case !s.Enabled && s.AttributeName != t.ttl:
		return nil, invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.ttl)
	}
	t.ttl = ""
	if s.Enabled {
		t.ttl = s.AttributeName
	}
	return fields{{"TimeToLiveSpecification", fields{{"AttributeName", s.AttributeName}, {"Enabled", s.Enabled}}}}, nil
}

// describeTTL is DescribeTimeToLive.
type describeTTL struct{ TableName string }

func (d *describeTTL) names() []string { return []string{nameOf(d.TableName)} }

func (d *describeTTL) check() error { return nil }

func (d *describeTTL) run(c *call) (fields, error) {
	t, err := c.table(nameOf(d.TableName))
	if err != nil {
		return nil, fail(notFound, "Requested resource not found: Table: %s not found", nameOf(d.TableName))
	}
	if t.ttl == "" {
		return fields{{"TimeToLiveDescription", fields{{"TimeToLiveStatus", "DISABLED"}}}}, nil
	}
	return fields{{"TimeToLiveDescription", fields{{"TimeToLiveStatus", "ENABLED"}, {"AttributeName", t.ttl}}}}, nil
}

// oldest is how long ago an item may have expired and still be removed.
const oldest = 5 * 365 * 24 * time.Hour

// Expire removes the items that are past their TTL by now, which DynamoDB does within days.
func (f *Fake) Expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &call{Fake: f, now: f.options.Now()}
	c.expire(func() bool { return true })
}

// expire removes those of the items that have expired which a choice takes. It costs nothing.
func (c *call) expire(which func() bool) {
	for _, name := range sortedNames(c.tables) {
		t := c.tables[name]
		if t.ttl == "" {
			continue
		}
		var gone []*change
		for _, part := range t.base.partitions {
			for _, e := range part.entries {
				if item := e.last(); item != nil && c.expired(item[t.ttl]) && which() {
					gone = append(gone, &change{table: t, key: itemKey{part.key, e.sort}, old: item})
				}
			}
		}
		for _, ch := range gone {
			if c.held[ch.id()] == nil {
				c.make(ch)
			}
		}
	}
}

// expired says whether a value is a time that is past, in seconds, and not by years.
func (c *call) expired(v attribute.Value) bool {
	seconds, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != attribute.N || err != nil {
		return false
	}
	age := c.now.Sub(time.Unix(int64(seconds), 0))
	return age > 0 && age < oldest
}
