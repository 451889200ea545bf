/** What keeps the browser logged in. */
import type { HandlersOf } from './handler.ts'

export const storingHandlers: HandlersOf<'storage_state' | 'set_storage_state'> = {
  storage_state: ({ storage }, { indexed_db: withDatabases }) => storage.read(withDatabases),
  async set_storage_state({ storage }, state) {
    await storage.replace(state)
    return { status: 'success' }
  },
}
