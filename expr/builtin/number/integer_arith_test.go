package number

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/types"
)

// operators are the functions behind operators of two integers of one type.
var operators = map[string]func(a, b types.Value) (types.Value, error){
	"int2 +": addInt2, "int2 -": subInt2, "int2 *": mulInt2, "int2 /": divInt2, "int2 %": modInt,
	"int4 +": addInt4, "int4 -": subInt4, "int4 *": MulInt4, "int4 /": divInt4, "int4 %": modInt,
	"int8 +": addInt8, "int8 -": subInt8, "int8 *": MulInt8, "int8 /": divInt8, "int8 %": modInt,
}

// randomInt is as often near the ends and near zero as anywhere.
func randomInt(r *rand.Rand, bits int) int64 {
	n := int64(r.Uint64()) >> (64 - bits)
	switch r.IntN(4) {
	case 0:
		return n >> r.IntN(bits)
	case 1:
		return int64(r.IntN(5)) - 2
	case 2:
		return []int64{-1 << (bits - 1), 1<<(bits-1) - 1}[r.IntN(2)]
	}
	return n
}

func TestIntArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	exact := map[string]func(z, x, y *big.Int) *big.Int{
		"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "/": (*big.Int).Quo, "%": (*big.Int).Rem,
	}
	widths := map[string]int{"int2": 16, "int4": 32, "int8": 64}
	for range 3000 {
		for name, width := range widths {
			a, b := randomInt(r, width), randomInt(r, width)
			for op, f := range exact {
				if b == 0 {
					continue
				}
				want := f(new(big.Int), big.NewInt(a), big.NewInt(b))
				got, err := operators[name+" "+op](types.NewInt(a), types.NewInt(b))
				fits := want.IsInt64() && want.Int64()>>(width-1) == want.Int64()>>63
				if fits != (err == nil) || fits && got.Int() != want.Int64() {
					t.Errorf("%d %s %d: got %d, %v, want %s", a, op, b, got.Int(), err, want)
				}
			}
		}
	}
}
