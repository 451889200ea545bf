/**
 * The menu beside a page: groups of links, and the button that signs out. On a phone it opens as a
 * sheet.
 */
import { formTokenField } from './forms/form-token.ts'
import { hiddenField, type FormVisit } from './form.tsx'

export interface NavLink {
  readonly href: string
  readonly label: string
  /** `true` for a page below this one. */
  readonly current: 'page' | 'true' | undefined
  /** The number of items that wait; 0 shows nothing. */
  readonly count?: number
}

export interface NavLinks {
  /** Empty: the group has no heading. */
  readonly label: string
  readonly links: readonly NavLink[]
}

export const SideNav = ({
  groups,
  visit,
  signOutAt,
}: {
  groups: readonly NavLinks[]
  visit: FormVisit
  /** The path of the form that signs out. */
  signOutAt: string
}) => (
  <nav id="menu" class="side" aria-label="Pages" popover="auto">
    {groups.map((group) => (group.links.length === 0 ? '' : <NavGroup {...group} />))}
    <ThemeChoice />
    <form method="post" action={signOutAt} class="sign-out">
      {hiddenField(formTokenField, visit.facts.formToken)}
      <button type="submit" class="link">
        Sign out
      </button>
    </form>
  </nav>
)

/** Shown by a script, which sets the colours and remembers them. */
const ThemeChoice = () => (
  <p class="theme" hidden>
    <label for="theme">Colours</label>
    <select id="theme" autocomplete="off">
      <option value="">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  </p>
)

const NavGroup = ({ label, links }: NavLinks) => (
  <>
    {label === '' ? '' : <p class="nav-group">{label}</p>}
    <ul>
      {links.map(({ href, label, current, count = 0 }) => (
        <li>
          <a href={href} aria-current={current}>
            {label}
            {count > 0 ? (
              <span class="count">
                {count}
                <span class="hidden"> waiting</span>
              </span>
            ) : (
              ''
            )}
          </a>
        </li>
      ))}
    </ul>
  </>
)

/** Whether a link leads to the page at `path` (`page`) or to one above it (`true`). */
export function currentOf(href: string, home: string, path: string): NavLink['current'] {
  if (path === href) return 'page'
  return href !== home && path.startsWith(`${href}/`) ? 'true' : undefined
}

export const MenuButton = () => (
  <button class="button plain menu-button" type="button" popovertarget="menu">
    Menu
  </button>
)
