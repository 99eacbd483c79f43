-- The specs that are skipped, for each kind of driver, as "device_spec: full name of the test". A run whose
-- skipped specs differ from this list fails.
return {
  soft = {},
  cuda = {},
}
