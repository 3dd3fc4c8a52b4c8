package spatial

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

var samples = []string{
	"POINT(1 2)", "POINT EMPTY", "LINESTRING(0 0,1 1,2 0)", "LINESTRING EMPTY", "POLYGON((0 0,4 0,4 4,0 0))",
	"POLYGON((0 0,9 0,9 9,0 9,0 0),(1 1,2 1,2 2,1 1))", "MULTIPOINT((1 2),(3 4))", "MULTILINESTRING((0 0,1 1),(2 2,3 3))",
	"MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((5 5,6 5,6 6,5 5)))",
	"GEOMETRYCOLLECTION(POINT(1 2),GEOMETRYCOLLECTION(LINESTRING(0 0,1 1)))", "GEOMETRYCOLLECTION EMPTY",
}

// TestForms wants each form of a geometry to be read as the same geometry.
func TestForms(t *testing.T) {
	for _, text := range samples {
		for _, prefix := range []string{"", "SRID=4326;"} {
			p, err := Parse(prefix + text)
			if err != nil {
				t.Fatal(text, err)
			}
			g, err := Decode(p)
			if err != nil || g.AsText() != text || (g.SRID == 4326) != (prefix != "") || SRID(p) != g.SRID {
				t.Errorf("%s is %s in %d, %v", text, g.AsText(), g.SRID, err)
			}
			upper := string(AppendHex(nil, p))
			for _, form := range []string{upper, strings.ToLower(upper)} {
				if again, err := Parse(form); err != nil || !bytes.Equal(again, p) {
					t.Errorf("%s: %s is %x, %v", text, form, again, err)
				}
			}
			if again, err := ParseBinary(p); err != nil || !bytes.Equal(again, p) {
				t.Errorf("%s: binary is %x, %v", text, again, err)
			}
		}
	}
}

// TestBigEndian reads the other order of bytes.
func TestBigEndian(t *testing.T) {
	p := binary.BigEndian.AppendUint32([]byte{0}, uint32(lineString)|sridFlag)
	p = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(p, 4326), 2)
	for _, number := range []float64{1, 2, 3, 4} {
		p = binary.BigEndian.AppendUint64(p, math.Float64bits(number))
	}
	out, err := ParseBinary(p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Decode(out)
	if want := "LINESTRING(1 2,3 4)"; err != nil || g.AsText() != want || g.SRID != 4326 {
		t.Errorf("%s in %d, %v", g.AsText(), g.SRID, err)
	}
}

// TestDamagedBinary wants an error of what is damaged, or a geometry that stays as it is.
func TestDamagedBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	read := 0
	for range 20_000 {
		p, err := Parse(samples[r.IntN(len(samples))])
		if err != nil {
			t.Fatal(err)
		}
		p = bytes.Clone(p)
		for range 1 + r.IntN(3) {
			p[r.IntN(len(p))] = byte(r.Uint32())
		}
		out, err := ParseBinary(p[:r.IntN(len(p))+1])
		if err != nil {
			continue
		}
		read++
		if again, err := ParseBinary(out); err != nil || !bytes.Equal(out, again) {
			t.Errorf("%x is read as %x, then as %x, %v", p, out, again, err)
		}
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// TestTooLarge wants what would take long, or recurse deep, to be refused.
func TestTooLarge(t *testing.T) {
	deep := strings.Repeat("GEOMETRYCOLLECTION(", maxNesting+1) + "POINT(1 2)" + strings.Repeat(")", maxNesting+1)
	nest := bytes.Repeat([]byte{1, byte(collection), 0, 0, 0, 1, 0, 0, 0}, 1_000_000)
	_, deepErr := Parse(deep)
	_, nestErr := ParseBinary(nest)
	_, longErr := Parse("LINESTRING(0 0" + strings.Repeat(",1 1", maxPoints) + ")")
	for _, err := range []error{deepErr, nestErr, longErr} {
		if !sqlerr.Has(err, sqlerr.StatementTooComplex) {
			t.Error(err)
		}
	}
}

// TestXY reads the coordinates of points as Decode does.
func TestXY(t *testing.T) {
	for _, text := range samples {
		for _, prefix := range []string{"", "SRID=7;"} {
			p, err := Parse(prefix + text)
			if err != nil {
				t.Fatal(err)
			}
			x, y, ok := XY(p)
			if want := text == "POINT(1 2)"; ok != want || ok && (x != 1 || y != 2) {
				t.Errorf("%s: %v %v %v", text, x, y, ok)
			}
		}
	}
}
