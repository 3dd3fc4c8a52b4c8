package catalog

import (
	"slices"
	"strconv"
	"time"

	"zproxy/types"
	"zproxy/types/datetime"
)

// TTL is how long rows of a table live. A row has expired when the value of a column is so long
// ago. From then on no query finds it any more, in the table or in an index, whether it is still
// stored or not. A row with NULL never expires.
type TTL struct {
	Column uint32 // of type date, timestamp, in UTC, or timestamptz
	Life   int64  // microseconds
	// Number is another one when rows may live longer than they were meant to when they were written,
	// so that a store which removes rows by itself does not go by what it was told then.
	Number uint32 `json:",omitempty"`
}

// expiry is the TTL of a table.
type expiry struct {
	TTL  *TTL   `json:",omitempty"` // nil: rows live until they are deleted
	TTLs uint32 `json:",omitempty"` // more than any Number of a TTL that the table has had
}

// InsertedAt is the name of the hidden column that the lifetime of rows counts from when the
// table names no other: when they were inserted.
const InsertedAt = "_inserted"

// Expired says whether a row with some value in the column has expired.
func (l *TTL) Expired(v types.Value, now time.Time) bool {
	if v.IsNull() {
		return false
	}
	cutoff := types.TimestampAt(now).Micros() - l.Life
	if v.Kind() == types.KindDate {
		return v.Days() <= datetime.DateOf(cutoff)
	}
	return v.Micros() <= cutoff
}

// Tells says whether entries of an index, or with nil the rows themselves, tell when their
// rows have expired.
func (t *Table) Tells(x *Index) bool {
	return t.TTL == nil || slices.Contains(t.StoredOrdinals(x), t.Ordinal(t.TTL.Column))
}

// Expires says whether items may be removed one by one once they have expired. An index that does not
// tell would go on to name rows that are no more, or that others have taken the place of.
func (t *Table) Expires() bool {
	return t.TTL != nil && !slices.ContainsFunc(t.Indexes, func(x Index) bool { return !t.Tells(&x) })
}

// WithTTL is a copy in which rows live otherwise. It keeps no hidden column for what is no more.
func (t *Table) WithTTL(ttl *TTL) *Table {
	c := *t
	c.TTL = c.numbered(ttl)
	if old := t.TTL; old != nil && (ttl == nil || ttl.Column != old.Column) && t.Columns[t.Ordinal(old.Column)].Hidden {
		return c.WithoutColumn(old.Column)
	}
	c.Version++
	return &c
}

// numbered gives the next number to a way to live, unless rows live no longer by it than by that
// of the table.
func (t *Table) numbered(ttl *TTL) *TTL {
	old := t.TTL
	if old != nil {
		t.TTLs = max(t.TTLs, old.Number+1)
	}
	if ttl == nil {
		return nil
	}
	out := *ttl
	if old != nil && old.Column == ttl.Column && ttl.Life <= old.Life {
		out.Number = old.Number
	} else {
		out.Number = t.TTLs
		t.TTLs++
	}
	return &out
}

// IncludeExpiry gives an index that is to be filled what tells when rows have expired, so that it can be
// read without them.
func (t *Table) IncludeExpiry(x *Index) {
	if x.Also = nil; !t.Tells(x) {
		x.Also = []uint32{t.TTL.Column}
	}
}

// How long rows may live: beyond a thousand years timestamps end some time.
const (
	microsPerDay   = 24 * 3600 * 1e6
	longestTTL     = 365_250 * microsPerDay
	microsPerYear  = 365.25 * microsPerDay
	microsPerMonth = 30 * microsPerDay
)

// Parse reads the life of rows: seconds, or an interval of which, as in EXTRACT (EPOCH), a month has 30 days and
// a year has 365.25.
func (l *TTL) Parse(text string) error {
	micros := 0.0
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		micros = float64(seconds) * 1e6
	} else {
		v, err := types.ParseText(text, types.Interval, nil)
		if err != nil {
			return err
		}
		months, days, rest := v.Interval().Fields()
		micros = float64(months/12)*microsPerYear + float64(months%12)*microsPerMonth +
			float64(days)*microsPerDay + float64(rest)
	}
	if micros < 1 || micros > longestTTL {
		return strconv.ErrRange
	}
	l.Life = int64(micros)
	return nil
}
