package zorder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// benchmarkBox is a box of about 1/1000 of the space and addresses in its range,
// a tie-breaker of eight bytes behind each.
func benchmarkBox(b *testing.B, dims int) (Box, [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	bits := make([]int, dims)
	lo, hi := make([]uint64, dims), make([]uint64, dims)
	share := []float64{0, 0.001, 0.032, 0.1, 0.178}[dims]
	for d := range bits {
		bits[d] = 32
		lo[d] = r.Uint64N(1 << 31)
		hi[d] = lo[d] + uint64(share*(1<<32))
	}
	c := mustNew(b, bits...)
	box := c.Box(point(c, lo...), point(c, hi...))
	zs := make([][]byte, 1024)
	for i := range zs {
		v := make([]uint64, dims)
		for d := range v {
			width := hi[d] - lo[d]
			v[d] = lo[d] + r.Uint64N(width*5/4)
		}
		zs[i] = append(c.Interleave(nil, point(c, v...)), 1, 2, 3, 4, 5, 6, 7, 8)
	}
	return box, zs
}

func BenchmarkInterleave(b *testing.B) {
	for dims := 2; dims <= 4; dims++ {
		b.Run(fmt.Sprintf("%dx32", dims), func(b *testing.B) {
			box, zs := benchmarkBox(b, dims)
			points := make([][][]byte, len(zs))
			for i := range zs {
				points[i] = box.curve.Deinterleave(zs[i])
			}
			dst := make([]byte, 0, box.curve.Len()+8)
			for i := 0; b.Loop(); i++ {
				box.curve.Interleave(dst, points[i%len(points)])
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	for dims := 2; dims <= 4; dims++ {
		b.Run(fmt.Sprintf("%dx32", dims), func(b *testing.B) {
			box, zs := benchmarkBox(b, dims)
			for i := 0; b.Loop(); i++ {
				box.Contains(zs[i%len(zs)])
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for dims := 2; dims <= 4; dims++ {
		b.Run(fmt.Sprintf("%dx32", dims), func(b *testing.B) {
			box, zs := benchmarkBox(b, dims)
			dst := make([]byte, 0, box.curve.Len())
			for i := 0; b.Loop(); i++ {
				box.Next(dst, zs[i%len(zs)])
			}
		})
	}
}

// BenchmarkCover plans ranges: where each has a fixed price, at most 128 of them, and where reads are charged
// in units, by a sketch of entries that are not spread evenly, as many as are worth it.
func BenchmarkCover(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	uneven := Sketch{Total: 20e6}
	for range 4097 {
		uneven.Quantiles = append(uneven.Quantiles, r.Uint64()>>r.IntN(4))
	}
	slices.Sort(uneven.Quantiles)
	for name, o := range map[string]CoverOptions{
		"fixed": {Price: 35, Most: 128, Rows: Sketch{Total: 20e6}},
		"units": {Price: 35, Most: 512, Rounded: true, Rows: uneven},
	} {
		for dims := 2; dims <= 4; dims++ {
			b.Run(fmt.Sprintf("%s/%dx32", name, dims), func(b *testing.B) {
				box, _ := benchmarkBox(b, dims)
				n := 0
				for b.Loop() {
					n += len(box.Cover(o))
				}
				b.ReportMetric(float64(n)/float64(b.N), "ranges")
			})
		}
	}
}
