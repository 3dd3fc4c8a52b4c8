package types

// What tests of other packages' encodings need, too.
var (
	NewRand     = newRand
	RandomValue = randomValue
	Concrete    = concrete
)
