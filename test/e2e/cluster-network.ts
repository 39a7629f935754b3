// A network of its own for each node of a cluster: namespaces on one bridge, so that all links of a node can be cut, or some.
// It takes root.
//   CLUSTER-NETWORK-1. It covers no address that the machine may reach, and the next one removes what a process left that was ended.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PortRelay, relayPort } from './port-relay.js';

/** Reserved (RFC 1112), so no host anywhere has an address in them: those of documentation are in use behind some default routes. */
const networks = ['240.0.1', '240.0.2', '240.0.3', '240.0.4'];
/** Clients come from an address of their own: a node that is cut from the database still reaches them. */
const clientPlace = 1;
const databasePlace = 200;

export class NodeNetwork {
  readonly #prefix: string;
  readonly #network: string;
  readonly #count: number;
  readonly #folder: string;
  readonly #relays: PortRelay[] = [];

  private constructor(prefix: string, network: string, count: number) {
    this.#prefix = prefix;
    this.#network = network;
    this.#count = count;
    this.#folder = mkdtempSync(join(tmpdir(), 'drillyard-network-'));
    chmodSync(this.#folder, 0o755);
  }

  /** Why it cannot be made, where it cannot. */
  static make(count: number): NodeNetwork | string {
    removeLeftovers();
    const taken = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
    const free = networks.find((one) => taken.every((address) => !address.startsWith(`${one}.`)));
    if (free === undefined) return `the machine has an address in each of ${networks.join(', ')}`;
    const network = new NodeNetwork(prefixOf(process.pid), free, count);
    const fault = network.#make();
    if (fault === undefined) return network;
    network.remove();
    return fault;
  }

  #make(): string | undefined {
    const bridge = `${this.#prefix}b`;
    const commands = [
      `link add ${bridge} type bridge`,
      `addr add ${this.#address(clientPlace)}/24 dev ${bridge}`,
      `addr add ${this.#address(databasePlace)}/24 dev ${bridge}`,
      `link set ${bridge} up`,
      ...Array.from({ length: this.#count }, (_, index) => {
        const space = this.#space(index);
        return [
          `netns add ${space}`,
          `link add ${space} type veth peer name eth0 netns ${space}`,
          `link set ${space} master ${bridge} up`,
          `-n ${space} addr add ${this.addressOf(index)}/24 dev eth0`,
          `-n ${space} link set eth0 up`,
          `-n ${space} link set lo up`,
        ];
      }).flat(),
    ];
    for (const command of commands) {
      const fault = ip(command);
      if (fault !== undefined) return `ip ${command}: ${fault}`;
    }
    return undefined;
  }

  addressOf(index: number): string {
    return this.#address(clientPlace + 1 + index);
  }
  /** Words before the command of a node. */
  before(index: number): string[] {
    return ['ip', 'netns', 'exec', this.#space(index)];
  }
  /** Lines of postgresql.conf that let the nodes in. */
  databaseSettings(): string[] {
    const file = join(this.#folder, 'pg_hba.conf');
    writeFileSync(file, `host all all 127.0.0.1/32 trust\nhost all all ${this.#address(0)}/24 trust\n`, { mode: 0o644 });
    return [`listen_addresses = '127.0.0.1,${this.#address(databasePlace)}'`, `hba_file = '${file}'`];
  }
  databaseUrl(url: string): string {
    return url.replace('127.0.0.1', this.#address(databasePlace));
  }
  /** The port of this process's loopback is at the loopback of each node too, whatever of its links is cut. */
  async bringPort(port: number): Promise<void> {
    const networks = Array.from({ length: this.#count }, (_, index) => this.before(index));
    this.#relays.push(await relayPort(port, { folder: this.#folder, networks }));
  }

  /** Nothing reaches the node, and it reaches nothing. */
  cut(index: number): void {
    must(`-n ${this.#space(index)} link set eth0 down`);
  }
  mend(index: number): void {
    must(`-n ${this.#space(index)} link set eth0 up`);
  }
  /** It reaches the other nodes and its clients, and not the database. */
  cutFromDatabase(index: number): void {
    must(`-n ${this.#space(index)} route add blackhole ${this.#address(databasePlace)}/32`);
  }
  mendToDatabase(index: number): void {
    must(`-n ${this.#space(index)} route del blackhole ${this.#address(databasePlace)}/32`);
  }
  /** It reaches the database, and not the other nodes: what they send arrives, and is not answered. */
  cutFromNodes(index: number): void {
    for (const other of this.#others(index)) must(`-n ${this.#space(index)} route add blackhole ${this.addressOf(other)}/32`);
  }
  mendToNodes(index: number): void {
    for (const other of this.#others(index)) must(`-n ${this.#space(index)} route del blackhole ${this.addressOf(other)}/32`);
  }

  remove(): void {
    for (const relay of this.#relays) relay.end();
    for (let index = 0; index < this.#count; index++) ip(`netns del ${this.#space(index)}`);
    ip(`link del ${this.#prefix}b`);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #others(index: number): number[] {
    return Array.from({ length: this.#count }, (_, other) => other).filter((other) => other !== index);
  }
  #address(place: number): string {
    return `${this.#network}.${place}`;
  }
  #space(index: number): string {
    return `${this.#prefix}n${index + 1}`;
  }
}

/** Of names of links, which have 15 characters at most. */
const prefixOf = (pid: number): string => `dy${pid.toString(36)}`;

function removeLeftovers(): void {
  const spaces = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  for (const name of existsSync('/sys/class/net') ? readdirSync('/sys/class/net') : []) {
    const digits = /^dy([0-9a-z]+)b$/.exec(name)?.[1];
    if (digits === undefined || existsSync(`/proc/${Number.parseInt(digits, 36)}`)) continue;
    for (const space of spaces) if (space.startsWith(`dy${digits}n`)) ip(`netns del ${space}`);
    ip(`link del ${name}`);
  }
}

/** What it says where it fails. */
function ip(command: string): string | undefined {
  const { status, stderr, error } = spawnSync('ip', command.split(' '), { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
function must(command: string): void {
  const fault = ip(command);
  if (fault !== undefined) throw new Error(`ip ${command}: ${fault}`);
}
