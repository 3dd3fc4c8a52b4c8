package syscat

import "slices"

// definitions are what is in the relations that are not empty.
func definitions() []definition {
	return slices.Concat(
		fixedCatalogs(), relationCatalogs(), columnCatalogs(), indexCatalogs(), triggerCatalogs(), dependCatalogs(),
		roleCatalogs(),
		functionCatalogs(), ownCatalogs(), heatCatalogs(), buildCatalogs(), foreignCatalogs(), partitionCatalogs(),
		extensionCatalogs(), publicationCatalogs(), coldCatalogs(), correctionCatalogs(), sessionCatalogs(),
		activityCatalogs(), statCatalogs(), statisticCatalogs(), extendedCatalogs(), enumCatalogs(), policyCatalogs(),
		largeCatalogs(),
		views(),
	)
}
