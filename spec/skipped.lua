-- The specs that are skipped, for each kind of driver, as "device_spec: full name of the test". A run whose
-- skipped specs differ from this list fails.
return {
  soft = {},
  cuda = {
    "lifetime_spec: lifetimes the collector is asked before memory is said to be out",
    "lifetime_spec: lifetimes a destroy that the driver refuses is counted, never raised",
  },
}
