// What a caller may do: authorities by name, and the roles that stand for sets of them.

const readAuthorities = [
  'organization.read',
  'audit.read',
  'project.read',
  'tool.read',
  'authoring.read',
  'source.read',
  'dataset.read',
  'build.read',
  'environment.read',
  'session.read',
  'snapshot.read',
  'run.read',
  'evidence.read',
  'callback.read',
  'operation.read',
] as const;
const builderAuthorities = [
  'build.publish',
  'tool.publish',
  'authoring.run',
  'session.create',
  'session.control',
  'session.destroy',
  'drill.run',
  'run.cancel',
  'dataset.write',
] as const;
const managerAuthorities = [
  'credential.manage',
  'member.manage',
  'project.manage',
  'grant.manage',
  'environment.manage',
  'authoring.publish',
  'evidence.delete',
  'callback.manage',
] as const;

export type Authority = (typeof readAuthorities)[number] | (typeof builderAuthorities)[number] | (typeof managerAuthorities)[number];
export type Role = 'viewer' | 'builder' | 'manager';

export const authoritiesOf: { readonly [R in Role]: ReadonlySet<Authority> } = {
  viewer: new Set(readAuthorities),
  builder: new Set<Authority>([...readAuthorities, ...builderAuthorities]),
  manager: new Set<Authority>([...readAuthorities, ...builderAuthorities, ...managerAuthorities]),
};
/** Every authority there is, in the order of the documentation. */
export const authorities: readonly Authority[] = [...authoritiesOf.manager];
