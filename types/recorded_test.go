package types

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"zproxy/types/numeric"

	"github.com/cockroachdb/apd/v3"
)

// parseAs reads a literal for a test whose subject is something else.
func parseAs(t *testing.T, s string, typ T, env *Env) Value {
	t.Helper()
	v, err := ParseText(s, typ, env)
	if err != nil {
		t.Fatalf("%s as %s: %v", s, typ, err)
	}
	return v
}

func TestBinary(t *testing.T) {
	env := recordedEnv(t)
	recorded(t, "binary.tsv", func(in []string) string {
		typ := typeNamed(t, in[0])
		v := parseAs(t, in[1], typ, env)
		p := AppendBinary(nil, v, typ)
		back, err := ParseBinary(p, typ)
		if err != nil || FormatText(back, typ, env) != FormatText(v, typ, env) {
			t.Errorf("%s %s: %x reads back as %s, %v", typ, in[1], p, FormatText(back, typ, env), err)
		}
		return hex.EncodeToString(p)
	})
}

// parseType reads a type with its modifier.
func parseType(t *testing.T, s string) T {
	name, args, found := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	typ := typeNamed(t, name)
	if !found {
		return typ
	}
	var numbers []int
	for arg := range strings.SplitSeq(args, ",") {
		n, err := strconv.Atoi(arg)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	mod, err := Modifier(typ.OID, numbers)
	if err != nil {
		t.Fatal(err)
	}
	typ.Mod = mod
	return typ
}

func TestCast(t *testing.T) {
	env := recordedEnv(t)
	recorded(t, "cast.tsv", func(in []string) string {
		from, to := typeNamed(t, in[0]), parseType(t, in[2])
		cast, ok := FindCast(from.OID, to.OID)
		if !ok {
			return "ERROR 42846: cannot cast type " + from.String() + " to " + Of(to.OID).String()
		}
		v, err := ParseText(in[1], from, env)
		if err == nil {
			v, err = cast.Fn(v, to, env)
		}
		if err == nil {
			v, err = ApplyMod(v, to, true, nil)
		}
		return shown(v, err, to, env)
	})
}

// TestCastContexts compares the casts with pg_cast, and what has no row there with the
// rules for conversions by text.
func TestCastContexts(t *testing.T) {
	letters := map[string]CastContext{"i": Implicit, "a": Assignment, "e": Explicit}
	rows := make(map[[2]OID]CastContext)
	f, err := os.Open("testdata/pg_cast.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if c := strings.Split(lines.Text(), "\t"); len(c) == 3 {
			rows[[2]OID{typeNamed(t, c[0]).OID, typeNamed(t, c[1]).OID}] = letters[c[2]]
		}
	}
	for _, from := range All() {
		for _, to := range All() {
			if from.Element != OIDInvalid && to.Element != OIDInvalid {
				continue // as their elements
			}
			want, ok := rows[[2]OID{from.OID, to.OID}]
			switch {
			case ok:
			case from.OID == to.OID:
				want, ok = Implicit, true
			case from.Category == CategoryPseudo && from.OID != OIDRecord && from.OID != OIDVoid && from.OID != OIDAnyArray ||
				to.Category == CategoryPseudo:
			case from.OID == OIDUnknown:
				want, ok = Implicit, true
			case to.OID == OIDUnknown:
			case from.Category == CategoryString:
				want, ok = Explicit, true
			case to.Category == CategoryString:
				want, ok = Assignment, true
			}
			if got, found := FindCast(from.OID, to.OID); found != ok || got.Context != want {
				t.Errorf("%s to %s: got %v, %v, want %v, %v", from.Name, to.Name, got.Context, found, want, ok)
			}
		}
	}
}

func TestTypeName(t *testing.T) {
	recorded(t, "name.tsv", func(in []string) string {
		mod, err := strconv.Atoi(in[1])
		if err != nil {
			t.Fatal(err)
		}
		return T{OID: typeNamed(t, in[0]).OID, Mod: int32(mod)}.String()
	})
}

type (
	unary  = func(Value) (Value, error)
	dyadic = func(a, b Value) (Value, error)
)

func ofDecimals(f func(a, b *apd.Decimal) (*apd.Decimal, error)) dyadic {
	return func(a, b Value) (Value, error) {
		d, err := f(a.Numeric(), b.Numeric())
		if err != nil {
			return Null, err
		}
		return NewNumeric(d), nil
	}
}

// operators are the functions behind operators of two values of one type.
var operators = map[string]dyadic{
	"int2 +": AddInt2, "int2 -": SubInt2, "int2 *": MulInt2, "int2 /": DivInt2, "int2 %": ModInt,
	"int4 +": AddInt4, "int4 -": SubInt4, "int4 *": MulInt4, "int4 /": DivInt4, "int4 %": ModInt,
	"int8 +": AddInt8, "int8 -": SubInt8, "int8 *": MulInt8, "int8 /": DivInt8, "int8 %": ModInt,
	"float4 +": AddFloat4, "float4 -": SubFloat4, "float4 *": MulFloat4, "float4 /": DivFloat4,
	"float8 +": AddFloat8, "float8 -": SubFloat8, "float8 *": MulFloat8, "float8 /": DivFloat8,
	"numeric +": ofDecimals(numeric.Add), "numeric -": ofDecimals(numeric.Sub),
	"numeric *": ofDecimals(numeric.Mul), "numeric /": ofDecimals(numeric.Div),
	"numeric %": ofDecimals(numeric.Mod),
}

// clockOperators are the operators of times and intervals, which have two types mostly.
var clockOperators = map[string]struct {
	f      dyadic
	result T
}{
	"interval + interval": {AddIntervals, Interval}, "interval - interval": {SubIntervals, Interval},
	"interval * float8": {MulInterval, Interval}, "float8 * interval": {swapped(MulInterval), Interval},
	"interval / float8":    {DivInterval, Interval},
	"timestamp + interval": {AddToTimestamp, Timestamp}, "interval + timestamp": {swapped(AddToTimestamp), Timestamp},
	"timestamp - interval":   {SubFromTimestamp, Timestamp},
	"timestamptz + interval": {inRecordedZone(AddToTimestamptz), Timestamptz},
	"interval + timestamptz": {swapped(inRecordedZone(AddToTimestamptz)), Timestamptz},
	"timestamptz - interval": {inRecordedZone(SubFromTimestamptz), Timestamptz},
	"timestamp - timestamp":  {SubTimestamps, Interval}, "timestamptz - timestamptz": {SubTimestamps, Interval},
	"date + interval": {AddToDate, Timestamp}, "interval + date": {swapped(AddToDate), Timestamp},
	"date - interval": {SubFromDate, Timestamp},
	"date + time":     {AddTimeToDate, Timestamp}, "time + date": {swapped(AddTimeToDate), Timestamp},
	"date + timetz": {AddTimetzToDate, Timestamptz}, "timetz + date": {swapped(AddTimetzToDate), Timestamptz},
	"time + interval": {AddToTime, Time}, "interval + time": {swapped(AddToTime), Time},
	"time - interval": {SubFromTime, Time}, "time - time": {SubTimes, Interval},
	"timetz + interval": {AddToTimetz, Timetz}, "interval + timetz": {swapped(AddToTimetz), Timetz},
	"timetz - interval": {SubFromTimetz, Timetz},
}

func swapped(f dyadic) dyadic { return func(a, b Value) (Value, error) { return f(b, a) } }

func inRecordedZone(f func(a, b Value, zone *time.Location) (Value, error)) dyadic {
	return func(a, b Value) (Value, error) {
		zone, err := LoadLocation(recordedZone)
		if err != nil {
			return Null, err
		}
		return f(a, b, zone)
	}
}

func TestOperators(t *testing.T) {
	env := recordedEnv(t)
	recorded(t, "operator.tsv", func(in []string) string {
		left, right := typeNamed(t, in[0]), typeNamed(t, in[3])
		a, b := parseAs(t, in[1], left, env), parseAs(t, in[4], right, env)
		op, result := in[2], left
		f := operators[in[0]+" "+op]
		switch {
		case left == Date && right == Date:
			f, result = SubDates, Int4
		case clockOperators[strings.Join([]string{in[0], op, in[3]}, " ")].f != nil:
			o := clockOperators[strings.Join([]string{in[0], op, in[3]}, " ")]
			f, result = o.f, o.result
		case left == Date:
			f = map[string]dyadic{"+": AddDays, "-": SubDays}[op]
		case left != right:
			f, result = operators["float8 "+op], Float8
		}
		v, err := f(a, b)
		return shown(v, err, result, env)
	})
}

// functions are the functions of one value, by their name and its type.
var functions = map[string]unary{
	"- int2": NegInt2, "- int4": NegInt4, "- int8": NegInt8, "- float4": NegFloat, "- float8": NegFloat,
	"abs int2": AbsInt2, "abs int4": AbsInt4, "abs int8": AbsInt8, "abs float4": AbsFloat, "abs float8": AbsFloat,
	"round float8": RoundFloat, "trunc float8": TruncFloat, "ceil float8": CeilFloat, "floor float8": FloorFloat,
	"sign float8": SignFloat, "sqrt float8": SqrtFloat, "exp float8": ExpFloat,
	"- interval": NegInterval, "justify_hours interval": JustifyHours,
	"justify_days interval": JustifyDays, "justify_interval interval": JustifyInterval, "ln float8": LnFloat,
}

func TestFunctions(t *testing.T) {
	env := recordedEnv(t)
	recorded(t, "function.tsv", func(in []string) string {
		typ := typeNamed(t, in[1])
		v, err := functions[in[0]+" "+in[1]](parseAs(t, in[2], typ, env))
		return shown(v, err, typ, env)
	})
}
