import { buckets } from '../../../proto/subjects.ts'
import { StoreConflict, type Store } from '../../../runtime/store/store.ts'

/**
 * Lets every store update one key with the same expected revision, several rounds, and counts the
 * winners of each.
 */
export async function raceForOneKey(
  stores: readonly Store[],
  rounds: number,
): Promise<{ rounds: number; withOneWinner: number }> {
  const contenders = stores.map((store) => store.bucket(buckets.owners))
  let revision = await contenders[0]!.create('race.one', Buffer.from('start'))
  let withOneWinner = 0
  for (let round = 0; round < rounds; round++) {
    const results = await Promise.allSettled(
      contenders.map((bucket, i) =>
        bucket.update('race.one', Buffer.from(`${round} ${i}`), revision),
      ),
    )
    const wins = results.filter((result) => result.status === 'fulfilled')
    const losses = results.filter(
      (result) => result.status === 'rejected' && result.reason instanceof StoreConflict,
    )
    if (wins.length === 1 && losses.length === contenders.length - 1) withOneWinner++
    revision = (await contenders[0]!.get('race.one'))!.revision
  }
  return { rounds, withOneWinner }
}
