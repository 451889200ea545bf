/** How full each stream of the store is, fullest first. */
import type { StreamUsage } from '../../../../runtime/store/store.ts'
import { EmptyState, PageSection } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import { sizeWord } from '../../../../runtime/lib/text/sizes.ts'
import { streamWord } from './host-words.ts'

/** 0 for a stream without a limit. */
const shareOf = ({ bytes, maxBytes }: StreamUsage) => (maxBytes > 0 ? bytes / maxBytes : 0)

export const StoreRegion = ({ store }: { store: readonly StreamUsage[] }) => (
  <div id="store">
    <PageSection title="Store">
      {store.length === 0 ? (
        <EmptyState title="The store does not answer">
          <p>
            Sizes are shown again once it does. Check that nats-server is running and can be reached
            from this gateway.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Each stream has its own limit. Fullest first"
          rows={store.toSorted((a, b) => shareOf(b) - shareOf(a))}
          columns={[
            {
              label: 'Content',
              isHead: true,
              cell: ({ stream }) => (
                <>
                  {streamWord(stream)} <span class="reason">{stream}</span>
                </>
              ),
            },
            { label: 'Full', cell: (usage) => <Fullness usage={usage} /> },
            { label: 'Used', isNumber: true, cell: ({ bytes }) => sizeWord(bytes) },
            {
              label: 'Limit',
              isNumber: true,
              cell: ({ maxBytes }) => (maxBytes > 0 ? sizeWord(maxBytes) : 'No limit'),
            },
          ]}
        />
      )}
    </PageSection>
  </div>
)

const Fullness = ({ usage }: { usage: StreamUsage }) => {
  const percent = Math.round(shareOf(usage) * 100)
  const label = `${streamWord(usage.stream)}: share of its limit`
  return (
    <span class="fullness">
      <meter min="0" max="100" low={70} high={90} optimum={0} value={percent} aria-label={label} />{' '}
      {`${percent} %`}
    </span>
  )
}
