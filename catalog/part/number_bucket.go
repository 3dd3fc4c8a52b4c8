package part

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"zproxy/encoding/span"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// NumberBucket is which of pieces of one size a number lies in, counted from 0 on: of 100, those from
// 200 to 299 lie in bucket 2, and those from -100 to -1 in bucket -1. The buckets are of type bigint.
// Numerics that lie beyond the first or the last of them lie in that, NaN and the infinities, too.
const NumberBucket Kind = 7

type numberBucket struct{ base }

// slice is the bucket that a number lies in.
type slice struct {
	of    []Source     // one
	count int64        // of integers: how many lie in a bucket
	width *apd.Decimal // of numerics: how wide a bucket is
}

func (numberBucket) bind(p *Part, t Table) (Bound, error) {
	s := &slice{of: sourcesOf(t, p.Column), count: int64(p.Count)}
	if p.Size != "" {
		var err error
		if s.width, err = numeric.Parse(p.Size); err != nil {
			return Bound{}, err
		}
	}
	return Bound{Of: s, Type: types.Int8}, nil
}

// Value implements Computed.
func (s *slice) Value(row types.Row) types.Value {
	v, _ := s.bucket(row[s.of[0].Ordinal])
	return v
}

// bucket is the one that a value lies in, and whether no lower value does.
func (s *slice) bucket(v types.Value) (bucket types.Value, first bool) {
	switch v.Kind() {
	case types.KindInt:
		n := floorDiv(v.Int(), s.count)
		return types.NewInt(n), n*s.count == v.Int()
	case types.KindNumeric:
		n, exact := numeric.FloorDiv(v.Numeric(), s.width)
		return types.NewInt(n), exact && n > math.MinInt64
	}
	return v, false
}

// Take implements Computed.
func (s *slice) Take(k Known) bool { return k.Points(s.of, s) || k.Units(&s.of[0], s) }

// Within implements Units.
func (s *slice) Within(set span.Set, most int) ([]types.Value, bool) {
	var out []types.Value
	for _, in := range set.Intervals {
		hull := s.Hull(span.Of(in))
		if hull.Point() {
			out = appendUnit(out, hull.Low)
			continue
		}
		list, ok := countOut(hull, most-len(out))
		if !ok {
			return nil, false
		}
		for _, v := range list {
			out = appendUnit(out, v)
		}
	}
	return out, len(out) <= most
}

// Hull implements Units. A bucket that begins where the set ends before it is not among them.
func (s *slice) Hull(set span.Set) span.Interval {
	hull := set.Hull()
	low, _ := s.bucket(span.Inward(hull.Low, hull.LowOpen, true))
	end := span.Inward(hull.High, hull.HighOpen, false)
	high, first := s.bucket(end)
	open := hull.HighOpen && first && types.Compare(end, hull.High) == 0
	return span.Interval{Low: low, High: high, HighOpen: open}
}

func (s *slice) nulls() []Source { return s.of }

func (s *slice) misfit(row types.Row, at spot) (why string, ordinal int) {
	return at.misnumbered(s.Value(row)), s.of[0].Ordinal
}

func (numberBucket) describe(p *Part, t Table) string { return p.bucketOf(namesOf(t, p.Column)) }

func (numberBucket) template(p *Part, t Table) string {
	return hole(p.bucketOf(templateName(t, p.Column)), padding(p.Width))
}

func (p *Part) bucketOf(column string) string {
	return "bucket(" + column + ", " + cmp.Or(p.Size, strconv.Itoa(p.Count)) + ")"
}

func (numberBucket) count(p *Part, t Table, n int) string {
	return fmt.Sprintf("%d buckets of %s", n, namesOf(t, p.Column))
}

func (numberBucket) follows(p *Part) (column uint32, ok bool) { return p.Column, true }

func (numberBucket) varies(p *Part, _ Table) (before, behind string, ok bool) {
	return decimals, decimals, p.Width == 0
}

func (numberBucket) function() Function {
	return Function{
		Name: "bucket", Usage: "bucket(column, size)", texts: true,
		takes: []ArgKind{ColumnArg, NumberArg}, make: sliced,
	}
}

// sliced is the bucket of a number.
func sliced(args []Arg) (Part, *sqlerr.Error) {
	of, size := args[0].Source, args[1].Text
	switch of.Type.OID {
	case types.OIDInt2, types.OIDInt4, types.OIDInt8:
		return countedOut(of, size)
	case types.OIDNumeric:
		return cutUp(of, size)
	}
	return Part{}, sqlerr.New(sqlerr.DatatypeMismatch, "column %q of type %s is no integer or numeric to make buckets of",
		of.Name, of.Type)
}

// countedOut is the bucket of an integer.
func countedOut(of Source, size string) (Part, *sqlerr.Error) {
	n, err := strconv.ParseInt(size, 10, 64)
	switch {
	case err != nil:
		return Part{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"the size of a bucket of column %q of type %s must be an integer, not %s", of.Name, of.Type, size)
	case n < 1:
		return Part{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"a bucket of column %q must hold at least 1 number, not %d", of.Name, n)
	}
	return Part{Kind: NumberBucket, Column: of.ID, Count: int(n)}, nil
}

// cutUp is the bucket of a numeric.
func cutUp(of Source, size string) (Part, *sqlerr.Error) {
	width, err := numeric.Parse(size)
	if err != nil || width.Sign() < 1 {
		return Part{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"the size of a bucket of column %q must be a number above 0, not %s", of.Name, size)
	}
	return Part{Kind: NumberBucket, Column: of.ID, Size: string(numeric.Append(nil, width))}, nil
}
