package dynamostore

import (
	"testing"

	"zproxy/store"
	"zproxy/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t) }, storetest.NoSnapshot)
}
