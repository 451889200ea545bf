import type { PageView } from '../page-view.ts'
import { ServiceError } from '../../../proto/errors.ts'
const none = async (): Promise<never> => {
  throw new ServiceError('stale_ref', 'No snapshot was taken yet; take one.')
}
export const viewOf = (): PageView => ({
  resolve: none,
  byRole: none,
  mark: async () => ({ at: 0 }),
  changesSince: async () => '',
})
