package pebblestore

import (
	"bytes"
	"encoding/binary"

	"zproxy/store"
)

const (
	// lazySkips is how many unwanted keys in a row a scan passes over before it asks
	// where the next wanted one may be and seeks there, when nothing says how far that is.
	// A seek costs about seekRows rows, so passing over half of that costs little where
	// wanted keys are near, and little beside the seek where they are far.
	lazySkips = 8
	// evenSkips is the same where keys lie evenly, so that a scan that asks knows what to do:
	// to ask costs about a row, too, and the next key is often wanted again.
	evenSkips = 1
	// mostSkips bounds lazySkips, which is doubled with each jump in a row that is not worth it:
	// where the next key that might be wanted is always near, and is not wanted, jumps only cost.
	mostSkips = 1024
	// walkMost is after how many keys a scan that walked, since it took the next wanted key
	// to be near, seeks after all.
	walkMost = 2 * seekRows
	// reach is how many keys a scan rather walks than seeks over. That is fewer than seekRows: keys
	// passed in vain are what users count. With 4 boxes of 3 and 4 dimensions read 7 and 12 per cent
	// fewer keys than with 15, in 2 per cent more time.
	reach = 4
	// fade is what a stretch of keys counts for, beside one behind it, when the scan judges
	// how densely keys lie.
	fade = 0.75
)

// skipping is how a scan leaves unwanted keys behind.
type skipping struct {
	runs     store.EvenSkipper // may know of keys in a row that they are wanted; nil: it does not
	even     bool
	lazy     int    // how many unwanted keys it passes before it asks for the goal
	unwanted int    // keys in a row
	goal     []byte // the next wanted key, or a bound below it

	// Of an even skipper: what the scan has met on its way between unwanted keys, the last
	// stretches most of all. Keys are numbers from the byte on at which those of the range
	// begin to differ.
	from           int
	begun          bool
	last           float64 // unwanted key
	at             int64   // how many keys had been examined there
	keys, distance float64
}

// begin is for a range of whole keys.
func (s *skipping) begin(skip store.Skipper, from, to []byte) {
	e, ok := skip.(store.EvenSkipper)
	*s = skipping{runs: e, even: ok && e.Even(), lazy: lazySkips, goal: s.goal[:0]}
	if !s.even {
		return
	}
	s.lazy = evenSkips
	for s.from < min(len(from), len(to)) && from[s.from] == to[s.from] {
		s.from++
	}
}

// number is a key as a number.
func (s *skipping) number(key []byte) float64 {
	if s.from+8 <= len(key) {
		return float64(binary.BigEndian.Uint64(key[s.from:]))
	}
	var b [8]byte
	copy(b[:], key[min(s.from, len(key)):])
	return float64(binary.BigEndian.Uint64(b[:]))
}

// learn notes how many keys lie between the last unwanted one and this one.
func (s *skipping) learn(key float64, examined int64) {
	if s.begun {
		s.keys = s.keys*fade + float64(examined-s.at)
		s.distance = s.distance*fade + key - s.last
	}
	s.begun, s.last, s.at = true, key, examined
}

// pass leaves an unwanted key behind and says whether the iterator stands on another.
func (sc *scan) pass(key []byte) bool {
	s := &sc.skipping
	if sc.request.Reverse {
		return sc.next()
	}
	if s.unwanted++; s.unwanted <= s.lazy {
		return sc.next()
	}
	s.goal = append(s.goal[:0], key[:sc.front]...)
	var ok bool
	if s.goal, ok = sc.request.Skip.Next(s.goal, key[sc.front:]); !ok {
		return false
	}
	if bytes.Compare(s.goal, key) <= 0 {
		return sc.next()
	}
	s.unwanted = 0
	if s.even {
		return sc.near(key)
	}
	there, more := sc.walk(reach)
	switch {
	case there:
		s.lazy = min(2*s.lazy, mostSkips)
		return true
	case !more:
		return false
	}
	s.lazy = lazySkips
	return sc.jump()
}

// walk goes key by key to the goal, if no more than most keys are in front of it. It says whether
// the iterator stands at the goal or behind, and else whether on a key at all.
func (sc *scan) walk(most int) (there, more bool) {
	for range most {
		if !sc.items.Next() {
			return false, false
		}
		if bytes.Compare(sc.items.Key(), sc.skipping.goal) >= 0 {
			return true, true
		}
		sc.request.Stats.Examined++
	}
	return false, true
}

// jump seeks the goal.
func (sc *scan) jump() bool {
	sc.request.Stats.Seeks++
	return sc.items.SeekGE(sc.skipping.goal)
}

// near goes to the goal from a key by the way that is probably cheaper: a seek when more
// than reach keys are in between, else key by key. That is given up for a seek after a while.
func (sc *scan) near(key []byte) bool {
	s, stats := &sc.skipping, sc.request.Stats
	here := s.number(key)
	s.learn(here, stats.Examined)
	most := walkMost
	switch {
	case s.distance <= 0: // nothing is known
		most = lazySkips
	case (s.number(s.goal)-here)*s.keys > reach*s.distance:
		most = 0
	}
	if there, more := sc.walk(most); there || !more {
		return there
	}
	if most > 0 {
		s.learn(s.number(sc.items.Key()), stats.Examined)
	}
	if !sc.jump() {
		return false
	}
	s.last, s.at = s.number(sc.items.Key()), stats.Examined+1 // how many were passed is unknown
	return true
}
