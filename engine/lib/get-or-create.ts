interface Store<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a map for this key. Where there is none, it is created and stored first. */
export function getOrCreate<K, V>(store: Store<K, V>, key: K, create: () => V): V {
  const found = store.get(key);
  if (found !== undefined) return found;
  const created = create();
  store.set(key, created);
  return created;
}
