package memstore

import (
	"testing"

	"zproxy/store"
	"zproxy/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{}) })
}

func TestContractUnordered(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Unordered: true}) })
}

func TestContractBlind(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New(Options{Blind: true}) }, storetest.NoBlindConflict)
}
