-- The specs that are skipped, for each kind of driver, as "device_spec: full name of the test". A run whose
-- skipped specs differ from this list fails.
return {
  soft = {},
  cuda = {
    "event_spec: events cuda.Event:time_since with a driver that has the older form of the call only",
    "event_spec: events events are given back to the driver",
    "graph_spec: graphs cuda.Stream:capture with the driver failing",
    "stream_spec: streams streams are given back to the driver",
    "lifetime_spec: lifetimes the collector is asked before memory is said to be out",
    "lifetime_spec: lifetimes a destroy that the driver refuses is counted, never raised",
  },
}
