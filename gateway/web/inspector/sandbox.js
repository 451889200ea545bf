/**
 * Replaces features that the DevTools front end needs and a sandboxed page lacks: storage and
 * caches, kept in memory until the page is closed, and workers, which a page with an opaque origin
 * cannot start from a URL. It is a classic script, because it has to run before the first module.
 */
{
  const storage = () => {
    const kept = new Map()
    const methods = {
      getItem: (name) => kept.get(String(name)) ?? null,
      setItem: (name, value) => void kept.set(String(name), String(value)),
      removeItem: (name) => void kept.delete(String(name)),
      clear: () => kept.clear(),
      key: (n) => [...kept.keys()][n] ?? null,
    }
    return new Proxy(methods, {
      get: (_, name) => (name === 'length' ? kept.size : (methods[name] ?? kept.get(name))),
      set: (_, name, value) => Boolean(kept.set(name, String(value))),
      has: (_, name) => kept.has(name),
      deleteProperty: (_, name) => kept.delete(name) || true,
      ownKeys: () => [...kept.keys()],
      getOwnPropertyDescriptor: (_, name) =>
        kept.has(name)
          ? { value: kept.get(name), writable: true, enumerable: true, configurable: true }
          : undefined,
    })
  }
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(window, name, { value: storage() })
  }

  const cache = () => {
    const kept = new Map()
    const addressOf = (request) => new URL(request.url ?? request, document.baseURI).href
    return {
      match: async (request) => kept.get(addressOf(request))?.clone(),
      put: async (request, response) => void kept.set(addressOf(request), response),
      delete: async (request) => kept.delete(addressOf(request)),
      keys: async () => [...kept.keys()].map((address) => new Request(address)),
    }
  }
  const caches = new Map()
  const cacheStorage = {
    async open(name) {
      if (!caches.has(name)) caches.set(name, cache())
      return caches.get(name)
    },
    has: async (name) => caches.has(name),
    delete: async (name) => caches.delete(name),
    keys: async () => [...caches.keys()],
  }
  Object.defineProperty(window, 'caches', { value: cacheStorage })

  const { Worker } = window
  window.Worker = class extends Worker {
    constructor(url, options) {
      const address = JSON.stringify(new URL(url, document.baseURI).href)
      const module = new Blob([`import ${address}`], { type: 'text/javascript' })
      super(URL.createObjectURL(module), { ...options, type: 'module' })
    }
  }
}
