package pebblestore

import "bytes"

// emitWanted is emitBlock of a scan that skips. To jump in a block costs little more than a step, so the scan asks for
// the next wanted key as soon as it has met a few others in a row, and jumps there however near it is.
func (sc *scan) emitWanted(at, to int, behind []byte) (from []byte, more bool) {
	b, s, skip := &sc.block, &sc.skipping, sc.request.Skip
	for at < to {
		if b.obsolete.At(at) {
			at++
			continue
		}
		sc.key = b.appendKey(sc.key[:0], at)
		if skip.Wanted(sc.key[sc.front:]) {
			s.unwanted = 0
			if !sc.wait(at, len(sc.key)) {
				return nil, false
			}
			at++
			continue
		}
		sc.request.Stats.Examined++
		at++
		if s.unwanted++; s.unwanted <= s.lazy {
			continue
		}
		s.goal = append(s.goal[:0], sc.key[:sc.front]...)
		if s.goal, more = skip.Next(s.goal, sc.key[sc.front:]); !more {
			return sc.to, true
		}
		if bytes.Compare(s.goal, sc.key) <= 0 {
			continue
		}
		s.unwanted = 0
		if bytes.Compare(s.goal, behind) >= 0 {
			sc.request.Stats.Seeks++
			return s.goal, true
		}
		at = sc.leap(at, to)
	}
	return behind, true
}

// leap is the position of the goal in the block, from one on. It counts keys that an iterator would pass on the way.
func (sc *scan) leap(at, to int) int {
	goal := min(sc.block.from(sc.skipping.goal), to)
	if goal-at <= reach {
		sc.request.Stats.Examined += int64(goal - at)
	} else {
		sc.request.Stats.Seeks++
	}
	return goal
}
